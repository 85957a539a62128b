import type { Catalogue } from "./translation.ts";

/** Texts of commands in the language ko_KR. */
export const koKR: Catalogue = {
  "Delete the specified cluster from the kubeconfig": "kubeconfig에서 지정된 클러스터를 삭제합니다",
  "Delete the specified context from the kubeconfig": "kubeconfig에서 지정된 컨텍스트를 삭제합니다",
  "Describe one or many contexts": "하나 또는 여러 컨텍스트를 설명합니다",
  "Display clusters defined in the kubeconfig": "kubeconfig에 정의된 클러스터를 표시합니다",
  "Display merged kubeconfig settings or a specified kubeconfig file":
    "병합된 kubeconfig 설정 또는 지정된 kubeconfig 파일을 표시합니다",
  "Modify kubeconfig files": "kubeconfig 파일을 수정합니다",
  "Update the annotations on a resource": "자원에 대한 주석을 업데이트합니다",
};
