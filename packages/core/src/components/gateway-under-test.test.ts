import { behind } from "./gateway-under-test";

test.each([
  ["/", "/", "/"],
  ["/route-1/", "/", "/route-1/"],
  ["/route-1/", "/json/valid", "/route-1/json/valid"],
  ["/route-1?x=1", "/echo", "/route-1/echo"],
  ["/own?x=1", "/", "/own?x=1"],
])("behind the route %s the upstream's %s is %s", (route, path, reached) => {
  expect(behind(route, path)).toBe(reached);
});
