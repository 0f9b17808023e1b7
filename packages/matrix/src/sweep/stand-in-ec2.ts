import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** One thing that the stand-in has. */
export interface Held {
  readonly id: string;
  readonly tags?: Readonly<Record<string, string>>;
  readonly vpc?: string;
  readonly since?: Date;
  /** Ids of what cannot go while this is there. */
  readonly holds?: readonly string[];
}

/** The lists of EC2's answers, by what is asked for. */
const lists: Readonly<Record<string, readonly [list: string, id: string, removal: string]>> = {
  DescribeInstances: ["reservationSet", "instanceId", "TerminateInstances"],
  DescribeVolumes: ["volumeSet", "volumeId", "DeleteVolume"],
  DescribeKeyPairs: ["keySet", "keyPairId", "DeleteKeyPair"],
  DescribePlacementGroups: ["placementGroupSet", "groupId", "DeletePlacementGroup"],
  DescribeSecurityGroups: ["securityGroupInfo", "groupId", "DeleteSecurityGroup"],
  DescribeSubnets: ["subnetSet", "subnetId", "DeleteSubnet"],
  DescribeRouteTables: ["routeTableSet", "routeTableId", "DeleteRouteTable"],
  DescribeInternetGateways: ["internetGatewaySet", "internetGatewayId", "DeleteInternetGateway"],
  DescribeVpcs: ["vpcSet", "vpcId", "DeleteVpc"],
};

/**
 * As much of EC2's query protocol as a sweep speaks, for tests: lists by tags a page at a time, and removals, which it refuses as
 * EC2 does while something else holds what is to go. It knows nothing of the sweep's order.
 */
export class StandInEc2 {
  readonly #server: Server;
  /** What is there, by the request that lists it. */
  readonly there: Record<string, Held[]> = {};
  /** Requests that changed something, and the ids they were about. */
  readonly changes: string[] = [];
  readonly refusals: string[] = [];
  /** Answers to come in place of the right ones, by action: EC2's error codes. */
  readonly errors: Record<string, string[]> = {};
  endpoint = "";

  constructor() {
    this.#server = createServer(async (request, response) => {
      const asked = new URLSearchParams(await text(request));
      const [status, body] = this.#answer(asked);
      response.writeHead(status, { "content-type": "text/xml" }).end(body);
    });
  }

  async open(): Promise<this> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    this.endpoint = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    return this;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  has(kind: string, ...held: readonly Held[]): void {
    this.there[`Describe${kind}`] = [...(this.there[`Describe${kind}`] ?? []), ...held];
  }

  #answer(asked: URLSearchParams): readonly [status: number, body: string] {
    const action = asked.get("Action") as string;
    const error = this.errors[action]?.shift();
    if (error !== undefined) return refused(error, `${action} is refused`);
    if (lists[action]) return [200, this.#list(action, asked)];
    if (action === "DetachInternetGateway") return this.#detach(asked);
    return this.#remove(action, asked);
  }

  #list(action: string, asked: URLSearchParams): string {
    const [list = ""] = lists[action] ?? [];
    const found = (this.there[action] ?? []).filter((one) => fits(one, asked));
    const from = Number(asked.get("NextToken") ?? 0);
    const page = action === "DescribeInstances" ? 2 : found.length;
    const next = from + page < found.length ? `<nextToken>${from + page}</nextToken>` : "";
    const items = found.slice(from, from + page).map((one) => this.#item(action, one));
    this.#end(found.filter(({ tags }) => tags?.State === "shutting-down"));
    return answered(action, `<${list}>${items.join("")}</${list}>${next}`);
  }

  #item(action: string, { id, tags = {}, vpc = "vpc-1", since, holds = [] }: Held): string {
    const [, idName = ""] = lists[action] ?? [];
    const tagSet = Object.entries(tags).map(([key, value]) => `<item><key>${key}</key><value>${value}</value></item>`);
    const within = action === "DescribeVpcs" ? "" : `<vpcId>${vpc}</vpcId>`;
    const said = `<${idName}>${id}</${idName}><tagSet>${tagSet.join("")}</tagSet>${within}`;
    const time = since ? since.toISOString() : "";
    if (action === "DescribeInstances") {
      const state = `<instanceState><name>${tags.State ?? "running"}</name></instanceState>`;
      const launch = since ? `<launchTime>${time}</launchTime>` : "";
      return `<item><instancesSet><item>${said}<instanceType>c5.large</instanceType>${state}${launch}</item></instancesSet></item>`;
    }
    const created = since ? `<createTime>${time}</createTime>` : "";
    const attached = holds.map((one) => `<item><vpcId>${one}</vpcId><state>available</state></item>`);
    const named = `<groupName>${id}</groupName><keyName>${id}</keyName><cidrBlock>10.77.0.0/24</cidrBlock><size>30</size>`;
    return `<item>${said}${created}${named}<state>available</state><attachmentSet>${attached.join("")}</attachmentSet></item>`;
  }

  /** EC2 shows machines that have ended for an hour; they hold nothing. */
  #end(ending: readonly Held[]): void {
    const instances = this.there.DescribeInstances ?? [];
    this.there.DescribeInstances = instances.map((one) =>
      ending.includes(one) ? { ...one, tags: { ...one.tags, State: "terminated" }, holds: [] } : one,
    );
  }

  #detach(asked: URLSearchParams): readonly [number, string] {
    const id = asked.get("InternetGatewayId") as string;
    this.changes.push(`DetachInternetGateway ${id}`);
    const gateways = this.there.DescribeInternetGateways ?? [];
    this.there.DescribeInternetGateways = gateways.map((one) => (one.id === id ? { ...one, holds: [] } : one));
    return [200, answered("DetachInternetGateway", "<return>true</return>")];
  }

  #remove(action: string, asked: URLSearchParams): readonly [number, string] {
    const [list] = Object.entries(lists).find(([, [, , removal]]) => removal === action) as [string, unknown];
    const ids = [...asked].filter(([key]) => !["Action", "Version"].includes(key)).map(([, value]) => value);
    const id = ids[0] as string;
    const all = Object.values(this.there).flat();
    if (!all.some((one) => one.id === id)) return refused("InvalidID.NotFound", `${id} does not exist`);
    if (all.some(({ holds = [] }) => holds.includes(id))) {
      this.refusals.push(`${action} ${id}`);
      return refused("DependencyViolation", `${id} has dependencies and cannot be deleted.`);
    }
    this.changes.push(`${action} ${id}`);
    const [its, left] = [all.filter((one) => one.id === id), (this.there[list] ?? []).filter((one) => one.id !== id)];
    // A machine holds what it has until it has ended, a while later.
    const ending = its.map(({ tags, ...one }) => ({ ...one, tags: { ...tags, State: "shutting-down" } }));
    this.there[list] = action === "TerminateInstances" ? [...left, ...ending] : left;
    return [200, answered(action, "<return>true</return>")];
  }
}

/** By the tags and states that are asked for; by ids, whatever they are. */
function fits({ id, tags = {} }: Held, asked: URLSearchParams): boolean {
  const ids = [...asked].filter(([key]) => /^InstanceId\./.test(key)).map(([, value]) => value);
  if (ids.length > 0) return ids.includes(id);
  return filtersOf(asked).every(([name, values]) => {
    if (name.startsWith("tag:")) return values.includes(tags[name.slice(4)] ?? "");
    return name === "instance-state-name" ? values.includes(tags.State ?? "running") : true;
  });
}

function filtersOf(asked: URLSearchParams): readonly (readonly [name: string, values: readonly string[]])[] {
  const numbers = [...asked].flatMap(([key]) => /^Filter\.(\d+)\.Name$/.exec(key)?.[1] ?? []);
  return numbers.map((number) => [
    asked.get(`Filter.${number}.Name`) as string,
    [...asked].filter(([key]) => key.startsWith(`Filter.${number}.Value.`)).map(([, value]) => value),
  ]);
}

const answered = (action: string, content: string): string =>
  `<?xml version="1.0" encoding="UTF-8"?><${action}Response xmlns="http://ec2.amazonaws.com/doc/2016-11-15/"><requestId>1</requestId>${content}</${action}Response>`;

const refused = (code: string, message: string): readonly [number, string] => [
  400,
  `<?xml version="1.0" encoding="UTF-8"?><Response><Errors><Error><Code>${code}</Code><Message>${message}</Message></Error></Errors><RequestID>1</RequestID></Response>`,
];
