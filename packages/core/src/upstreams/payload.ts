const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/** So many bytes of known text, the same from every upstream that can choose what it answers. */
export const payload = (bytes: number): string => alphabet.repeat(Math.ceil(bytes / alphabet.length)).slice(0, bytes);
