/** "$1,234.50"; cents also where there are few. */
export function dollars(usd: number): string {
  const [whole = "", cents] = usd.toFixed(2).split(".");
  return `$${whole.replace(/\B(?=(\d{3})+$)/g, ",")}.${cents}`;
}
