import { z } from "zod";
import { named, not, several } from "./words";

const word = not("a name, or a list of names");
const some = z.union([named, several(named)], word).transform((given) => [given].flat());
const aSize = z.union([named, z.number()], word);
/** Cells by what they are; every word that is given must fit, a list fits with any of its names. */
export const ruleSchema = z
  .strictObject(
    {
      gateway: some.optional(),
      scenario: some.optional(),
      generator: some.optional(),
      load: some.describe('By its short name, such as "c32".').optional(),
      size: z
        .union([aSize, several(aSize)], word)
        .transform((given) => [given].flat().map(String))
        .describe('As the plan names it: "2" workers, or an instance type.')
        .optional(),
      topology: some.optional(),
    },
    not('a rule; write words of cells, such as "gateway: nginx"'),
  )
  .refine(
    (rule) => Object.values(rule).some((given) => given !== undefined),
    "a rule without a word fits everything; give at least one of gateway, scenario, generator, load, size, topology",
  );
export type Rule = z.infer<typeof ruleSchema>;
