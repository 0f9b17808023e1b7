/** A body as far as it is known in advance. */
export interface ExpectedBody {
  /** All of it, but for what `without` matches. */
  readonly text: string;
  /** What changes from answer to answer: a POSIX extended expression, tried on each line. Default: nothing changes. */
  readonly without?: string;
  /** How long the whole is, where `without` leaves that open and it is always the same. */
  readonly bytes?: number;
}

/** How long it always is; undefined: that changes. */
export const bytesOf = ({ text, without, bytes }: ExpectedBody): number | undefined =>
  without === undefined ? Buffer.byteLength(text) : bytes;
