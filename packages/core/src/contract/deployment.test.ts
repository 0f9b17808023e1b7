import { pathBehind } from "./deployment";

test("a path of the upstream is put behind the route, before its query", () => {
  const routes = ["/", "/route-1/", "/route-1/?x=1&y=?"];
  expect(routes.map((route) => pathBehind(route, "/echo"))).toEqual([
    "/echo",
    "/route-1/echo",
    "/route-1/echo?x=1&y=?",
  ]);
});

test("the upstream's root leaves the route as it is", () => {
  const routes = ["/", "/route-1/", "/users/1?x=1"];
  expect(routes.map((route) => pathBehind(route, "/"))).toEqual(routes);
});
