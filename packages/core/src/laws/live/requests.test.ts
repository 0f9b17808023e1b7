import { sample } from "./requests";

const ten = Array.from({ length: 10 }, (_, index) => index);

test.each([
  ["one, the first", 1, [0]],
  ["the first and the last", 2, [0, 9]],
  ["some between them", 4, [0, 3, 6, 9]],
  ["all, where there are no more", 10, ten],
])("a sample is %s", (_, most, expected) => {
  expect(sample(ten, most)).toEqual(expected);
});
