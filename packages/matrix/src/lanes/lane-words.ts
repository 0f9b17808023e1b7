import type { Run, Verification } from "@gatebench/core";

/** What a lane's process tells the one that began it. */
export type LaneSays =
  | { readonly says: "begins"; readonly name: string }
  | { readonly says: "note"; readonly text: string }
  | { readonly says: "verified"; readonly benchmark: string; readonly verification: Verification }
  | { readonly says: "ran"; readonly benchmark: string; readonly run: Run }
  | { readonly says: "failed"; readonly cell: string; readonly reason: string }
  | { readonly says: "ended"; readonly outcome: LaneOutcome };

export interface LaneOutcome {
  /** Why it did not come to its end; undefined where it did. */
  readonly problem?: string;
  /** Whether its hosts are still there, because they could not be taken down. */
  readonly left: boolean;
}

/** What it is told. */
export type LaneIsTold = "stop";
