import { expect, test } from "vitest";
import { toApiRequest } from "../in-process.test-support.ts";
import { RequestState } from "../request/request-state.ts";
import { documentLabels, resourceLabels } from "./request-labels.ts";

const apply = "application/apply-patch+yaml";
const merge = "application/merge-patch+json";
const pods = "/api/v1/namespaces/a/pods";

test.each([
  ["GET", `${pods}/b`, "", "GET resource "],
  ["HEAD", `${pods}/b`, "", "GET resource "],
  ["GET", pods, "", "LIST namespace "],
  ["GET", "/api/v1/pods", "", "LIST cluster "],
  ["GET", "/api/v1/nodes", "", "LIST cluster "],
  ["GET", `${pods}?watch=1`, "", "WATCH namespace "],
  ["GET", `${pods}?watch=false`, "", "LIST namespace "],
  ["GET", "/api/v1/watch/pods", "", "WATCH cluster "],
  ["POST", pods, "", "POST resource "],
  ["PUT", `${pods}/b`, "", "PUT resource "],
  ["PATCH", `${pods}/b`, merge, "PATCH resource "],
  ["PATCH", `${pods}/b`, apply, "APPLY resource "],
  ["DELETE", `${pods}/b`, "", "DELETE resource "],
  ["DELETE", pods, "", "DELETE namespace "],
  ["GET", `${pods}/b/log?follow=true`, "", "CONNECT resource "],
  ["POST", `${pods}/b/exec`, "", "CONNECT resource "],
  ["BREW", pods, "", "other namespace "],
  ["POST", `${pods}?dryRun=All`, "", "POST resource All"],
  ["POST", `${pods}?dryRun=All&dryRun=All`, "", "POST resource All"],
  ["POST", `${pods}?dryRun=Some`, "", "POST resource invalid"],
])("resourceLabels: %s %s %s", (method, path, contentType, wanted) => {
  const headers = contentType === "" ? {} : { "content-type": contentType };
  const state = new RequestState(toApiRequest({ method, path, headers }), () => 0);
  if (state.target.type !== "resource") throw new Error(`${path} is no resource`);
  const { verb, scope, dryRun } = resourceLabels(state, state.target.resource);
  expect(`${verb} ${scope} ${dryRun}`).toEqual(wanted);
});

test.each([
  ["GET", "GET"],
  ["HEAD", "GET"],
  ["DELETE", "DELETE"],
  ["BREW", "other"],
])("documentLabels: %s is %s", (method, wanted) => {
  const state = new RequestState(toApiRequest({ method, path: "/healthz" }), () => 0);
  expect(documentLabels(state)).toEqual({ scope: "", dryRun: "", verb: wanted });
});
