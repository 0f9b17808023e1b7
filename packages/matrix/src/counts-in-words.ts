/** "36,439". */
export const grouped = (value: number): string => Math.round(value).toLocaleString("en-US");

/** "1 cell", "2 cells". */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;
