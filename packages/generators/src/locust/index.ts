export { locust, type LocustOptions } from "./locust";
