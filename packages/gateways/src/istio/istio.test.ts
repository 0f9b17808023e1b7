import { gatewayLaws } from "@gatebench/core/laws";
import { istio } from "./istio";
for (const law of gatewayLaws) test(law.name, () => law.check(istio()));
