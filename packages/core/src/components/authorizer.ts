import * as pulumi from "@pulumi/pulumi";
import { blacklistRedis, extAuthz, type ExtAuthzOptions } from "../authorizers";
import { extAuthzMetrics, extAuthzPorts } from "../authorizers/ext-authz";
import { blacklistedId, fault, referencesIn, type Address, type Fault, type Workload } from "../contract";
import type { Host, StartedWorkload } from "../hosts/host";
import { identityOf } from "../hosts/identity";
import { refuseFaults } from "../hosts/refuse-faults";
import { pagesOn, watchedAs, type Watchable, type Watched } from "./watched";

export interface AuthorizerArgs extends ExtAuthzOptions {
  /** Where it decides. */
  readonly host: Host;
  /** Where its blacklist is kept. @default beside it */
  readonly redisHost?: Host;
  /** CPU and memory Redis may have; only containers can be given any. @default all of its host's */
  readonly redisLimits?: Workload["limits"];
  /** Ids (jti) of tokens that are refused, beside the one the live laws try. @default none */
  readonly blacklist?: readonly string[];
}

/**
 * What a gateway asks whether a request may pass, where a scenario's auth is "external": a service that checks a JWT, and
 * a Redis with a blacklist.
 *
 * ### Cost
 * That of its hosts.
 */
export class Authorizer extends pulumi.ComponentResource implements Watchable {
  /** Those on which a part of it stands. */
  readonly hosts: readonly Host[];
  /** Where it is asked, over gRPC (envoy.service.auth.v3). */
  readonly address: Address;
  /** Redis, then the service. */
  readonly workloads: readonly StartedWorkload[];
  readonly identity: pulumi.Output<string>;
  readonly watched: Watched;

  constructor(name: string, args: AuthorizerArgs, opts?: pulumi.ComponentResourceOptions) {
    refuseFaults(faultsOf(name, args));
    const { host, redisHost = host, blacklist = [] } = args;
    super("gatebench:index:Authorizer", name, { poolSize: args.poolSize, blacklist }, opts);
    const { redis: redisPort = 0 } = redisHost.ports(name, ["redis"]);
    const ports = host.ports(name, extAuthzPorts);
    const ids = [blacklistedId, ...blacklist];
    const redis = start(name, redisHost, blacklistRedis({ ids, limits: args.redisLimits }, redisPort), [], this);
    const store = { host: redisHost.addressFor(redisPort), port: redisPort };
    const service = start(name, host, extAuthz(args, ports, store), [redis], this);
    this.hosts = [...new Set([host, redisHost])];
    this.address = { host: host.addressFor(ports.grpc as number), port: ports.grpc as number };
    this.workloads = [redis, service];
    this.watched = watchedAs("authorizer", name, this.hosts, pagesOn(host, extAuthzMetrics(ports)));
    this.identity = pulumi.all([redis.identity, service.identity]).apply((each) => identityOf(each));
    this.registerOutputs({ address: this.address, identity: this.identity });
  }
}

function start(
  owner: string,
  host: Host,
  workload: Workload,
  siblings: readonly StartedWorkload[],
  parent: pulumi.Resource,
): StartedWorkload {
  const { credentials } = host.site;
  const values = credentials.values(referencesIn(JSON.stringify(workload)));
  return host.start(workload, { owner, values, valuesId: credentials.identity, siblings }, { parent });
}

function faultsOf(name: string, { host, poolSize = 20, image, blacklist = [] }: AuthorizerArgs): readonly Fault[] {
  const says = (what: string) => fault("invalid-option", `authorizer "${name}" ${what}`);
  const wrong = blacklist.filter((id) => !/^\S+$/.test(id));
  return [
    ...(Number.isInteger(poolSize) && poolSize >= 1 && poolSize <= 10_000
      ? []
      : [says(`cannot have a pool of ${poolSize} connections; give a whole number from 1 to 10000.`)]),
    ...(host.kind === "local" || image !== undefined
      ? []
      : [
          says(
            `needs an image on host ${host.name}, and no public registry has one. Build it from services/Dockerfile for a registry of yours, and give it as "image".`,
          ),
        ]),
    ...wrong.map((id) => says(`cannot have the id "${id}" on its blacklist; an id has no spaces and is not empty.`)),
  ];
}
