/** Has sh, curl, openssl and sha256sum. */
export const image = "nicolaka/netshoot:v0.14";
