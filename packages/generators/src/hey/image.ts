import { debianImage } from "../debian-image";

/** Debian 12's hey: hey has no official image. */
export const image = { version: "0.1.4", of: debianImage("hey") };
