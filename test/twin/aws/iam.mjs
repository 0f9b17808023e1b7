/** Roles, as far as EKS asks for them: kept in the books, and nobody is stopped by what they do not allow. */
import { ACCOUNT, all, existing, get, newId } from "./cloud.mjs";
import { flag, number, tags, text } from "./inputs.mjs";
import { ROLE, ROLE_POLICY } from "./types.mjs";

const NO_REQUEST = "00000000-0000-0000-0000-000000000000";
const iamError = (action, operation, status, code, said) =>
  new Error(
    `${action}: operation error IAM: ${operation}, https response error StatusCode: ${status}, RequestID: ${NO_REQUEST}, api error ${code}: ${said}`,
  );

const role = {
  inputs: {
    ...{ name: text, namePrefix: text, path: text, description: text, assumeRolePolicy: text, tags },
    ...{ maxSessionDuration: number, permissionsBoundary: text, forceDetachPolicies: flag },
  },
  required: ["assumeRolePolicy"],
  conflicts: [["name", "namePrefix"]],
  named: "name",
  replaces: ["name", "namePrefix", "path"],
  faults: ({ assumeRolePolicy }) => policyFaults(assumeRolePolicy),
  outputs: ["arn", "createDate", "uniqueId"],
  create: async ({ name, path = "/" }) => {
    const wrong = iamError(
      `creating IAM Role (${name})`,
      "CreateRole",
      409,
      "EntityAlreadyExists",
      `Role with name ${name} already exists.`,
    );
    if (await get(ROLE, name)) throw wrong;
    return { id: name, arn: arnOf(path, name), createDate: new Date().toISOString(), uniqueId: newId("AROA") };
  },
  remove: async ({ id, inputs }) => {
    const attached = (await all(ROLE_POLICY)).some((one) => one.inputs.role === id);
    const said = "Cannot delete entity, must detach all policies first.";
    if (attached && !inputs.forceDetachPolicies)
      throw iamError(`deleting IAM Role (${id})`, "DeleteRole", 409, "DeleteConflict", said);
  },
};

const arnOf = (path, name) => `arn:aws:iam::${ACCOUNT}:role${path}${name}`;

function policyFaults(policy) {
  try {
    JSON.parse(policy);
    return [];
  } catch {
    return [["assumeRolePolicy", `"assume_role_policy" contains an invalid JSON policy: ${policy}`]];
  }
}

const rolePolicyAttachment = {
  inputs: { role: text, policyArn: text },
  required: ["role", "policyArn"],
  replaces: ["role", "policyArn"],
  outputs: [],
  create: async ({ role: name, policyArn }) => {
    const action = `attaching IAM Policy (${policyArn}) to IAM Role (${name})`;
    const said = `The role with name ${name} cannot be found.`;
    await existing(ROLE, name, () => iamError(action, "AttachRolePolicy", 404, "NoSuchEntity", said));
    return { id: `${name}/${policyArn}` };
  },
};

export const iamResources = { [ROLE]: role, [ROLE_POLICY]: rolePolicyAttachment };
