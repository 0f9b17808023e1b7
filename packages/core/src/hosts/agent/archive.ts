const block = 512;

/** A tar archive of one text, ustar; all that Docker needs to build an image. */
export function archiveOf(name: string, content: string): Buffer {
  const body = Buffer.from(content);
  const padding = Buffer.alloc((block - (body.length % block)) % block);
  return Buffer.concat([headerOf(name, body.length), body, padding, Buffer.alloc(2 * block)]);
}

function headerOf(name: string, size: number): Buffer {
  const header = Buffer.alloc(block);
  header.write(name, 0);
  header.write("0000644\0", 100);
  header.write("0000000\0".repeat(2), 108);
  header.write(`${size.toString(8).padStart(11, "0")}\0`, 124);
  header.write("00000000000\0", 136);
  header.write("        ", 148); // The checksum counts itself as blanks.
  header.write("0ustar\u000000", 156);
  const checksum = header.reduce((sum, byte) => sum + byte, 0);
  header.write(`${checksum.toString(8).padStart(6, "0")}\0 `, 148);
  return header;
}
