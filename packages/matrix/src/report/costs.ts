import { askedRatePerS, type Cell, type Result } from "@gatebench/core";
import { costOf, type Cost, type Price } from "@gatebench/core/measure";
import { groupsOf, nameOfRow } from "../rows";
import { isBaseline, isShown, rateFigure, sizeInWords } from "./cell-words";
import { grouped } from "../counts-in-words";
import { headed, rate, short } from "./figures-in-words";
import { column, entry, type Section } from "./report";

/** What a machine of this instance type costs; undefined: not known, and nothing is said of it. */
export type PricePerHour = (instanceType: string) => Price | undefined;

export const noPrices: PricePerHour = () => undefined;

/** The gateway's machine only: generator and upstream are there for the measurement. */
export interface PricedCell {
  readonly price: Price;
  readonly cost: Cost;
}

/** null of what is wrong, has no price, or was held to a rate: what it could carry is not known then. */
export function pricedCell(cell: Cell, pricePerHour: PricePerHour): PricedCell | null {
  const price = cell.size.instanceType === undefined ? undefined : pricePerHour(cell.size.instanceType);
  const figure = rateFigure(cell);
  if (!price || isBaseline(cell) || askedRatePerS(cell.load) !== undefined || !isShown(cell, figure)) return null;
  const cost = costOf(cell[figure], price);
  return cost && { price, cost };
}

/** A section for each load in which something has a price. */
export function costSections(result: Result, pricePerHour: PricePerHour): readonly Section[] {
  return groupsOf(result).flatMap(({ cells, title }) => {
    const priced = cells.flatMap((cell) => {
      const one = pricedCell(cell, pricePerHour);
      return one ? [{ cell, ...one }] : [];
    });
    return priced.length === 0 ? [] : [sectionOf(title, priced)];
  });
}

function sectionOf(title: string, priced: readonly (PricedCell & { readonly cell: Cell })[]): Section {
  const isTls = priced.some(({ cell }) => rateFigure(cell) === "tlsTps");
  const [what, per] = isTls ? ["TLS TPS", "transactions"] : ["RPS", "requests"];
  const sources = new Set(priced.map(({ price: { source, date } }) => `${source}, ${date}`));
  return {
    chapter: "Costs",
    title: `Costs: ${title}`,
    text: [`The gateway's machine only, used all the time. Prices: ${[...sources].join("; ")}.`],
    table: {
      columns: [
        column("gateway", false),
        column("size", false),
        column(
          headed(
            what as string,
            priced.map(({ cell }) => cell.intervals[rateFigure(cell)]),
          ),
        ),
        column("$ an hour"),
        column(`$ per million ${per}`),
        column(`${what} per $ an hour`),
        column("$ a month (730 h)"),
      ],
      rows: priced.map(({ cell, price, cost }) =>
        [
          nameOfRow(cell),
          sizeInWords(cell),
          rate(cell[rateFigure(cell)], cell.intervals[rateFigure(cell)]),
          price.usd.toFixed(4),
          short(cost.usdPerMillion),
          grouped(cost.perSForDollarHour),
          grouped(cost.usdPerMonth),
        ].map((text) => entry(text)),
      ),
    },
  };
}
