import type * as pulumi from "@pulumi/pulumi";

/** What a program says a resource depends on. */
export const dependsOf = ({ dependsOn }: pulumi.ResourceOptions = {}): readonly pulumi.Resource[] =>
  dependsOn === undefined ? [] : ([dependsOn].flat() as readonly pulumi.Resource[]);
