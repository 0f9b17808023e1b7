export { awsPrices, type AwsPricesOptions } from "./aws-prices";
export { datedPrices } from "./dated-prices";
export { hoursPerMonth, monthlyUsd, type Price, type PriceTable } from "./price";
