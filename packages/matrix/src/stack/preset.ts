import { fault, refuseFaults } from "@gatebench/core";
import type { z } from "zod";
import type { LoadTestRow } from "./load-test-row";
import { ownConfig, readSettings } from "./stack-settings";

/** A published test: what is asked for, what was published, and in what ours differs. */
export interface Preset<Key extends string = string> {
  /** Settings as a stack file would have them; a stack file's own come before them. */
  readonly settings: Readonly<Partial<Record<Key, string>>>;
  readonly published: {
    readonly rps?: number;
    readonly p99Ms?: number;
    readonly tlsTps?: number;
    readonly note?: string;
    /** As rows of the table of users' tests. */
    readonly tests?: readonly LoadTestRow[];
  };
  readonly differsIn: readonly string[];
}

/** A stack's settings, over those of the preset it names. */
export function presetSettings<S extends z.ZodObject>(
  schema: S,
  presets: Readonly<Record<string, Preset>>,
): { readonly asked: z.infer<S>; readonly preset: Preset | undefined } {
  const name = ownConfig().preset;
  const preset = name !== undefined && Object.hasOwn(presets, name) ? presets[name] : undefined;
  if (name !== undefined && !preset) {
    const known = Object.keys(presets).join(", ");
    refuseFaults([
      fault("unknown-preset", `config.preset "${name}" is not one. Known: ${known}. Choose one, or leave it out.`),
    ]);
  }
  return {
    asked: readSettings(schema, preset?.settings as Readonly<Record<string, string>> | undefined),
    preset: preset && withChanges(preset),
  };
}

/** What a stack file changes of a published test, it differs in. */
function withChanges(preset: Preset): Preset {
  const given: Readonly<Record<string, string | undefined>> = preset.settings;
  const changed = Object.entries(ownConfig()).filter(([key, value]) => (given[key] ?? value) !== value);
  return { ...preset, differsIn: [...preset.differsIn, ...changed.map(([key]) => `${key} as this stack has it`)] };
}
