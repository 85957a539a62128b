import type { Catalogue } from "./translation.ts";

/** Texts of commands in the language ja_JP. */
export const jaJP: Catalogue = {
  "Delete the specified cluster from the kubeconfig": "指定したクラスターをkubeconfigから削除する",
  "Delete the specified context from the kubeconfig":
    "指定したコンテキストをkubeconfigから削除する",
  "Describe one or many contexts": "1つまたは複数のコンテキストを記述する",
  "Display clusters defined in the kubeconfig": "kubeconfigで定義されたクラスターを表示する",
  "Display merged kubeconfig settings or a specified kubeconfig file":
    "マージされたkubeconfigの設定または指定されたkubeconfigを表示する",
  "Display one or many resources": "1つまたは複数のリソースを表示する",
  "Modify kubeconfig files": "kubeconfigを変更する",
  "Set the selector on a resource": "リソースのセレクターを設定する",
  "Undo a previous rollout": "現在のロールアウトを取り消す",
  "Update the annotations on a resource": "リソースのアノテーションを更新する",
  "Update the labels on a resource": "リソースのラベルを更新する",
  "View rollout history": "ロールアウトの履歴を表示する",
};
