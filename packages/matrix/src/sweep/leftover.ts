/** Something that a run made and that is still there. */
export interface Leftover {
  /** "instance", "VPC", "place", … */
  readonly kind: string;
  readonly id: string;
  /** What it is called and what it is, for people. */
  readonly about: string;
  /** When it was made or last touched; undefined where nobody says. */
  readonly since: Date | undefined;
}

/** What belongs to one run, and whether the run still needs it. */
export interface LeftGroup {
  /** A stack, or a place on this machine. */
  readonly name: string;
  readonly where: string;
  /** Why it is left alone; undefined: it was left behind. */
  readonly inUse: string | undefined;
  /** In the order in which they can be removed. */
  readonly items: readonly Leftover[];
}

/** What became of one thing that was to be removed. */
export interface Removal {
  readonly item: Leftover;
  /** Why it is still there; undefined: it is gone. */
  readonly failure: string | undefined;
}

/** Somewhere things may have been left behind. */
export interface Sweepable {
  readonly groups: readonly LeftGroup[];
  /** Removes what was left behind, and says of each the moment it is known. Goes on after a failure. */
  remove(groups: readonly LeftGroup[], told: (removal: Removal) => void): Promise<void>;
}
