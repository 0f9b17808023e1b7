export { awsPrices, type AwsPricesOptions } from "./aws-prices";
export { datedPrices } from "./dated-prices";
export { dollars } from "./dollars";
export { hoursPerMonth, monthlyUsd, type Price, type PriceTable } from "./price";
