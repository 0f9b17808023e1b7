export { awsPrices, type AwsPricesOptions } from "./aws-prices";
export { datedPrices } from "./dated-prices";
export { dollars } from "./dollars";
export { monthlyUsd, type PriceTable } from "./price";
