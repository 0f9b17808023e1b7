/** The lint rule that holds the floors: imports point down only. Each snippet is linted as if it stood in that file. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";

jest.setTimeout(60_000);

interface Snippet {
  readonly file: string;
  readonly from: string;
  readonly refused: boolean;
}

const core = "packages/core/src";
const refused = (file: string, from: string): Snippet => ({ file, from, refused: true });
const allowed = (file: string, from: string): Snippet => ({ file, from, refused: false });

const snippets: readonly Snippet[] = [
  refused(`${core}/contract/x.ts`, "@pulumi/pulumi"),
  refused(`${core}/contract/x.ts`, "../measure"),
  refused(`${core}/contract/x.ts`, "node:fs"),
  allowed(`${core}/contract/x.ts`, "./load"),
  refused(`${core}/measure/x.ts`, "@pulumi/pulumi"),
  refused(`${core}/measure/x.ts`, "../contract/load"),
  allowed(`${core}/measure/x.ts`, "../contract"),
  refused(`${core}/laws/x.ts`, "../hosts/host"),
  refused(`${core}/laws/live/x.ts`, "../../components/benchmark"),
  allowed(`${core}/laws/live/x.ts`, "../../contract"),
  allowed(`${core}/laws/x.ts`, "node:assert/strict"),
  refused(`${core}/upstreams/x.ts`, "@pulumi/pulumi"),
  refused(`${core}/observatory/x.ts`, "@pulumi/pulumi"),
  refused(`${core}/observatory/x.ts`, "../hosts/host"),
  allowed(`${core}/observatory/x.ts`, "../contract"),
  refused(`${core}/testing/x.ts`, "@pulumi/pulumi"),
  refused(`${core}/testing/x.ts`, "../hosts/host"),
  refused(`${core}/hosts/x.ts`, "../components/benchmark"),
  refused(`${core}/hosts/x.ts`, "@gatebench/gateways"),
  refused(`${core}/components/x.ts`, "../topologies/local-topology"),
  refused(`${core}/components/x.ts`, "@gatebench/generators"),
  allowed(`${core}/components/x.ts`, "../hosts/host"),
  refused(`${core}/topologies/x.ts`, "../components/benchmark"),
  allowed(`${core}/topologies/x.ts`, "../hosts/host"),
  refused("packages/gateways/src/mine/mine.ts", "@pulumi/pulumi"),
  refused("packages/gateways/src/mine/mine.ts", "@gatebench/core"),
  refused("packages/gateways/src/mine/mine.ts", "@gatebench/core/dist/contract/load"),
  refused("packages/gateways/src/mine/mine.ts", "@gatebench/core/local"),
  refused("packages/gateways/src/mine/mine.ts", "@gatebench/generators"),
  refused("packages/gateways/src/mine/mine.ts", "../../../core/src/contract"),
  allowed("packages/gateways/src/mine/mine.ts", "@gatebench/core/contract"),
  allowed("packages/gateways/src/mine/mine.ts", "@gatebench/core/laws"),
  refused("packages/generators/src/mine/mine.ts", "@gatebench/gateways"),
  refused("packages/matrix/src/x.ts", "@gatebench/gateways/nginx"),
  refused("packages/matrix/src/x.ts", "../../core/src/contract"),
  allowed("packages/matrix/src/x.ts", "@gatebench/gateways/all"),
];

const repository = join(__dirname, "..", "..");
/** eslint's configuration is a module, which jest cannot load: a process of its own can. */
const script = `
  import { ESLint } from "eslint";
  const eslint = new ESLint();
  const found = [];
  for (const { file, from } of ${JSON.stringify(snippets)}) {
    const [{ messages }] = await eslint.lintText('import { x } from "' + from + '";\\nexport const y = x;\\n', { filePath: file });
    found.push(messages.map(({ ruleId, fatal }) => (fatal ? "fatal" : ruleId)));
  }
  process.stdout.write(JSON.stringify(found));
`;
const found = JSON.parse(
  execFileSync(process.execPath, ["--input-type=module", "-e", script], { cwd: repository, encoding: "utf8" }),
) as readonly (readonly string[])[];

test.each(snippets.map((snippet, index) => ({ ...snippet, index })))(
  "$file importing $from: refused $refused",
  ({ index, refused: wanted }) => expect(found[index]).toEqual(wanted ? ["no-restricted-imports"] : []),
);
