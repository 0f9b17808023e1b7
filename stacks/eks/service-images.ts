import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as aws from "@pulumi/aws";
import { local } from "@pulumi/command";
import * as pulumi from "@pulumi/pulumi";
import { fault, type Fault } from "@gatebench/core";
import { instanceTypeNamed } from "@gatebench/core/plan";
import { asksAuthorizer } from "@gatebench/matrix/stack";
import type { Settings } from "./settings";

/** Images that no registry has, by the key that would name one. */
const targets = { authorizerImage: "ext-authz", upstreamImage: "ping" } as const;
type Key = keyof typeof targets;

/** Images of this repository's services, built here and pushed to a registry of the account. */
export interface ServiceImages {
  /** Their names, by key. */
  readonly names: Readonly<Partial<Record<Key, string>>>;
  readonly faults: readonly Fault[];
  readonly programs: readonly string[];
  /** What is to be there before anything asks for them. */
  make(): readonly pulumi.Resource[];
}

/** Those that a stack needs and nobody has named. A cluster that is there has a registry of its own. */
export async function serviceImages(asked: Settings): Promise<ServiceImages> {
  const keys = (Object.keys(targets) as Key[]).filter((key) => isNeeded(key, asked) && asked[key] === undefined);
  const version = versionOf(sources);
  if (keys.length === 0 || asked.kubeconfig !== undefined || version === undefined) return none;
  const registry = await registryOfAccount();
  const images = keys.map((key) => {
    const repository = `gatebench/${pulumi.getProject()}-${pulumi.getStack()}/${targets[key]}`.toLowerCase();
    return { key, repository, registry, name: `${registry}/${repository}:${version}` };
  });
  return {
    names: Object.fromEntries(images.map(({ key, name }) => [key, name])),
    faults: platformFaults(asked),
    programs: ["docker"],
    make: () => images.map((image) => pushed(image, platformOf(asked.upstreamType))),
  };
}

const none: ServiceImages = { names: {}, faults: [], programs: [], make: () => [] };

const isNeeded = (key: Key, asked: Settings): boolean =>
  key === "upstreamImage" ? asked.upstream === "ping" : asksAuthorizer(asked);

interface Image {
  readonly key: Key;
  readonly repository: string;
  readonly registry: string;
  readonly name: string;
}

/** A push of the same sources is no push: the tag says what they are. */
function pushed({ key, repository, registry, name }: Image, platform: string): pulumi.Resource {
  const target = targets[key];
  const made = new aws.ecr.Repository(target, {
    name: repository,
    // It goes with the stack, and what was pushed into it.
    forceDelete: true,
    tags: { Project: "gatebench", Stack: `${pulumi.getProject()}/${pulumi.getStack()}` },
  });
  return new local.Command(
    `${target}-image`,
    {
      create: push,
      environment: { REGISTRY: registry, TARGET: target, IMAGE: name, SOURCES: sources, PLATFORM: platform },
      triggers: [name, platform],
    },
    { dependsOn: made },
  );
}

/** The region is the provider's: the registry's name has it. */
const push = `set -eu
region=$(echo "$REGISTRY" | cut -d. -f4)
aws ecr get-login-password --region "$region" | docker login --username AWS --password-stdin "$REGISTRY"
docker build --platform "$PLATFORM" --target "$TARGET" --tag "$IMAGE" "$SOURCES"
docker push "$IMAGE"
`;

const platformOf = (instanceType: string): string =>
  instanceTypeNamed(instanceType)?.architecture === "arm64" ? "linux/arm64" : "linux/amd64";

function platformFaults({ serviceMachines, serviceType, upstreamType }: Settings): readonly Fault[] {
  const types = [upstreamType, ...(serviceMachines > 0 ? [serviceType] : [])];
  if (new Set(types.map(platformOf)).size === 1) return [];
  const message = `config.serviceType ${serviceType} and upstreamType ${upstreamType} have two architectures, and one image is built of each service. Choose types of one, or give authorizerImage and upstreamImage.`;
  return [fault("invalid-option", message)];
}

async function registryOfAccount(): Promise<string> {
  const [{ accountId }, { region }] = await Promise.all([aws.getCallerIdentity({}), aws.getRegion({})]);
  return `${accountId}.dkr.ecr.${region}.amazonaws.com`;
}

const sources = join(__dirname, "..", "..", "services");

/** Of what an image is made of; undefined where it is not there. */
function versionOf(folder: string): string | undefined {
  try {
    const files = readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((file) => /\.go$|^go\.(mod|sum)$|^Dockerfile$/.test(file) && !file.endsWith("_test.go"))
      .sort();
    const hash = createHash("sha256");
    for (const file of files) hash.update(`${file}\0`).update(readFileSync(join(folder, file)));
    return hash.digest("hex").slice(0, 12);
  } catch {
    return undefined;
  }
}
