import { debianImage } from "../debian-image";

/** Debian 12's wrk: wrk has no official image. */
export const image = { version: "4.1.0", of: debianImage("wrk") };
