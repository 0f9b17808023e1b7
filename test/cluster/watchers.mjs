/** Room for those who watch files: kubelets, containerd and the pods' programs of all clusters share one user's. */
import { readFile, writeFile } from "node:fs/promises";
import { fault } from "../twin/shell.mjs";

/** A cluster of four nodes takes some two hundred instances; Linux allows 128 of itself. */
const WANTED = { max_user_instances: 4096, max_user_watches: 131_072 };

/** Raises what is lower, for the whole computer; nothing is taken back, since others may have come to use it. */
export async function allowWatchers() {
  for (const [name, wanted] of Object.entries(WANTED)) {
    const path = `/proc/sys/fs/inotify/${name}`;
    const allowed = Number(await readFile(path, "utf8"));
    if (allowed < wanted) await raise(path, { name, allowed, wanted });
  }
}

async function raise(path, { name, allowed, wanted }) {
  await writeFile(path, `${wanted}`).catch(() => {
    const advice = `Type: sudo sysctl -w fs.inotify.${name}=${wanted}`;
    throw fault("cluster-watchers", `fs.inotify.${name} is ${allowed}, too few for kubelets. ${advice}`);
  });
}
