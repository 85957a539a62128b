import type { Catalogue } from "./translation.ts";

/** Texts of commands in the language zh_TW. */
export const zhTW: Catalogue = {
  "Delete the specified cluster from the kubeconfig": "刪除 kubeconfig 檔案中指定的叢集(cluster)",
  "Delete the specified context from the kubeconfig": "刪除 kubeconfig 檔案中指定的 context",
  "Describe one or many contexts": "描述一個或多個 context",
  "Display clusters defined in the kubeconfig": "顯示 kubeconfig 檔案中定義的叢集(cluster)",
  "Display merged kubeconfig settings or a specified kubeconfig file":
    "顯示合併的 kubeconfig 配置或一個指定的 kubeconfig 檔案",
  "Modify kubeconfig files": "修改 kubeconfig 檔案",
  "Update the annotations on a resource": "更新一個資源的注解(annotations)",
};
