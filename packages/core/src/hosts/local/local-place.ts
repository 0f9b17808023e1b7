import * as pulumi from "@pulumi/pulumi";
import { identityOf } from "../identity";

/** Whose a place is. */
export interface Owner {
  readonly project: string;
  readonly stack: string;
}

/** One folder per project, stack, host and working folder: two checkouts never share one. */
export function localPlace(host: string, { project, stack }: Owner = running()): string {
  return `${project}-${stack}-${host}-${identityOf(process.cwd()).slice(0, 8)}`;
}

const running = (): Owner => ({ project: pulumi.getProject(), stack: pulumi.getStack() });
