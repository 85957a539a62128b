import { value } from "../../../schema/language/field.ts";
import { At } from "../../../schema/language/report.ts";
import { nameIsDnsSubdomain } from "../../../schema/values/names.ts";
import { selectorText } from "../../apps/v1/template-columns.ts";
import { nameWarnings } from "../../apps/v1/template-warnings.ts";
import { dropDisabledPodFields } from "../../core/v1/pod/pod-disabled-fields.ts";
import { podValidationOptions } from "../../core/v1/pod/validation/pod-ratcheting.ts";
import { ageColumn, nameColumn, since } from "../../meta/v1/columns.ts";
import { kind, type ObjectOf } from "../../meta/v1/kind.ts";
import { CronJobSpec, CronJobStatus } from "./cron-job-spec.ts";
import { validateCronJobSpec } from "./cron-job-validation.ts";
import { selectorDescription } from "./job-columns.ts";
import { jobSpecWarnings } from "./job-warnings.ts";

/** The controller adds eleven letters to make the name of a job, which has at most 63. */
const maxNameLength = 52;

export const CronJob = kind({
  group: "batch",
  version: "v1",
  kind: "CronJob",
  plural: "cronjobs",
  shortNames: ["cj"],
  categories: ["all"],
  scope: "Namespaced",
  doc: "Makes jobs by a schedule.",
  name: nameIsDnsSubdomain,
  fields: {
    spec: value(2, CronJobSpec).expected().doc("What the cron job should be."),
    status: value(3, CronJobStatus).doc("What the cron job is at present."),
  },
  subresources: ["status"],
  rules: [
    ({ metadata, spec }, at) => {
      validateCronJobSpec(spec, at.child("spec"), { pod: podValidationOptions() });
      const { name = "" } = metadata;
      if (name.length > maxNameLength)
        at.invalid("metadata.name", name, `must be no more than ${maxNameLength} characters`);
    },
  ],
  updateRules({ spec }, { spec: old }, { at }) {
    const pod = podValidationOptions(old.jobTemplate.spec.template);
    validateCronJobSpec(spec, at.child("spec"), { pod, old });
  },
  metadataStatusRules: false,
  strategy: {
    initialStatus: {},
    generation: { spec: CronJobSpec },
    prepare({ spec: { jobTemplate } }, old, write) {
      dropDisabledPodFields(
        jobTemplate.spec.template.spec,
        old?.spec.jobTemplate.spec.template.spec,
        write,
      );
    },
    warnings({ metadata, spec }, old) {
      const isNew = !old || metadata.generation !== old.metadata.generation;
      return [
        ...(old ? [] : nameWarnings(metadata)),
        ...(isNew ? jobSpecWarnings(spec.jobTemplate.spec, jobSpecPlace) : []),
        ...(old && spec.schedule.includes("TZ") ? [zoneWarning] : []),
      ];
    },
  },
  columns: [
    nameColumn,
    {
      name: "Schedule",
      type: "string",
      description: "The schedule in Cron format, see https://en.wikipedia.org/wiki/Cron.",
      cell: ({ spec }) => spec.schedule,
    },
    {
      name: "Timezone",
      type: "string",
      description:
        "The time zone name for the given schedule, see https://en.wikipedia.org/wiki/List_of_tz_database_time_zones. If not specified, this will default to the time zone of the kube-controller-manager process. The set of valid time zone names and the time zone offset is loaded from the system-wide time zone database by the API server during CronJob validation and the controller manager during execution. If no system-wide time zone database can be found a bundled version of the database is used instead. If the time zone name becomes invalid during the lifetime of a CronJob or due to a change in host configuration, the controller will stop creating new new Jobs and will create a system event with the reason UnknownTimeZone. More information can be found in https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/#time-zones",
      cell: ({ spec }) => spec.timeZone ?? "<none>",
    },
    {
      name: "Suspend",
      type: "boolean",
      description:
        "This flag tells the controller to suspend subsequent executions, it does not apply to already started executions.  Defaults to false.",
      cell: ({ spec }) => (spec.suspend ? "True" : "False"),
    },
    {
      name: "Active",
      type: "integer",
      description: "A list of pointers to currently running jobs.",
      cell: ({ status }) => status.active?.length ?? 0,
    },
    {
      name: "Last Schedule",
      type: "string",
      description: "Information when was the last time the job was successfully scheduled.",
      cell: ({ status }, { now }) =>
        status.lastScheduleTime ? since(status.lastScheduleTime, now) : "<none>",
    },
    ageColumn,
    {
      name: "Containers",
      type: "string",
      wide: true,
      description: "Names of each container in the template.",
      cell: ({ spec }) =>
        containersOf(spec)
          .map(({ name }) => name)
          .join(","),
    },
    {
      name: "Images",
      type: "string",
      wide: true,
      description: "Images referenced by each container in the template.",
      cell: ({ spec }) =>
        containersOf(spec)
          .map(({ image }) => image ?? "")
          .join(","),
    },
    {
      name: "Selector",
      type: "string",
      wide: true,
      description: selectorDescription,
      cell: ({ spec }) => selectorText(spec.jobTemplate.spec.selector),
    },
  ],
});
export interface CronJob extends ObjectOf<typeof CronJob> {}

const containersOf = ({ jobTemplate }: CronJobSpec) =>
  jobTemplate.spec.template.spec.containers ?? [];
const jobSpecPlace = At.root().child("spec").child("jobTemplate").child("spec");
// Upstream says spec twice.
const zoneWarning =
  "cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details";
