import { crc32, deflateRawSync } from "node:zlib";

/** A zip file as Java's ZipOutputStream writes it: sizes stand behind each entry's data, and again in the directory. */
export function zipped(files: Readonly<Record<string, string>>): Buffer {
  const entries: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const [name, text] of Object.entries(files)) {
    const entry = entryOf(name, Buffer.from(text));
    entries.push(entry.bytes);
    directory.push(entry.listed(at));
    at += entry.bytes.length;
  }
  const listed = Buffer.concat(directory);
  return Buffer.concat([...entries, listed, endOf(directory.length, listed.length, at)]);
}

function entryOf(name: string, data: Buffer) {
  const packed = deflateRawSync(data);
  const sizes = words([sum(data), 4], [packed.length, 4], [data.length, 4]);
  const title = Buffer.from(name);
  const head = words(
    [0x04034b50, 4],
    [20, 2],
    [8, 2],
    [8, 2],
    [0, 4],
    [0, 4],
    [0, 4],
    [0, 4],
    [title.length, 2],
    [0, 2],
  );
  const behind = Buffer.concat([words([0x08074b50, 4]), sizes]);
  const listed = (at: number) =>
    Buffer.concat([
      words([0x02014b50, 4], [20, 2], [20, 2], [8, 2], [8, 2], [0, 4]),
      sizes,
      words([title.length, 2], [0, 2], [0, 2], [0, 2], [0, 2], [0, 4], [at, 4]),
      title,
    ]);
  return { bytes: Buffer.concat([head, title, packed, behind]), listed };
}

const endOf = (count: number, size: number, at: number) =>
  words([0x06054b50, 4], [0, 4], [count, 2], [count, 2], [size, 4], [at, 4], [0, 2]);

function words(...values: readonly (readonly [number, number])[]): Buffer {
  return Buffer.concat(
    values.map(([value, size]) => {
      const word = Buffer.alloc(size);
      word.writeUIntLE(value, 0, size);
      return word;
    }),
  );
}

/** Node 20 has no crc32; no reader of ours looks at it. */
const sum = (data: Buffer) => (typeof crc32 === "function" ? crc32(data) : 0);
