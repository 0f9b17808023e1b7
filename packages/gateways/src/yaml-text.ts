import { Document, visit } from "yaml";

/** YAML in which text with references is quoted, so that a key of digits only is still text once it stands there. */
export function yamlText(value: unknown): string {
  const document = new Document(value, { aliasDuplicateObjects: false });
  visit(document, {
    Scalar: (_, node) => {
      const text = String(node.value);
      if (text.includes("<gatebench:") && !text.includes("\n")) node.type = "QUOTE_DOUBLE";
    },
  });
  return document.toString({ lineWidth: 0 });
}
