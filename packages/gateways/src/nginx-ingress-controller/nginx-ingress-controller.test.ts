import { gatewayLaws } from "@gatebench/core/laws";
import { nginxIngressController } from "./nginx-ingress-controller";
for (const law of gatewayLaws) test(law.name, () => law.check(nginxIngressController()));
describe("plus", () => {
  for (const law of gatewayLaws) test(law.name, () => law.check(nginxIngressController({ plus: true })));
});
