import { fnv32a } from "../../../base/hashes/fnv32a.ts";
import { hashText } from "../../deployment/pod-template-hash.ts";

const longestName = 253;
const hashOf = (text: string): string => hashText(fnv32a(new TextEncoder().encode(text)));

/** The name of the workload of a job, with a hash of the job's uid. */
export function workloadName(job: string, uid: string): string {
  const hash = hashOf(`(types.UID)${uid}`);
  return `${job.slice(0, longestName - hash.length - 1)}-${hash}`;
}

/** The name of the template for the pods of a job in its workload. */
export const groupTemplateName = (job: string): string => `${job}-pgt-0`;

/** The name of the group of a workload's template; each part has half of the room if both are long. */
export function groupName(workload: string, template: string): string {
  const hash = hashOf(workload + template);
  const room = longestName - hash.length - 2;
  const half = Math.floor(room / 2);
  const [workloadRoom, templateRoom] =
    workload.length <= half
      ? [workload.length, room - workload.length]
      : template.length <= half
        ? [room - template.length, template.length]
        : [room - half, half];
  return `${workload.slice(0, workloadRoom)}-${template.slice(0, templateRoom)}-${hash}`;
}
