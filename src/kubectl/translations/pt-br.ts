import type { Catalogue } from "./translation.ts";

/** Texts of commands in the language pt_BR. */
export const ptBR: Catalogue = {
  "Approve a certificate signing request": "Aprova uma solicitação de assinatura de certificado",
  "Attach to a running container": "Se conecta a um container em execução",
  "Create a TLS secret": "Cria uma secret do tipo TLS",
  "Create a namespace with the specified name": "Cria a namespace com um nome especificado",
  "Create a secret for use with a Docker registry":
    "Cria um secret para ser utilizado com o Docker registry",
  "Create a service account with the specified name":
    "Cria uma conta de serviço com um nome especificado",
  "Delete the specified cluster from the kubeconfig": "Apaga o cluster especificado do kubeconfig",
  "Delete the specified context from the kubeconfig": "Apaga o contexto especificado do kubeconfig",
  "Deny a certificate signing request": "Rejeita o pedido de assinatura do certificado",
  "Describe one or many contexts": "Mostra um ou mais contextos",
  "Display clusters defined in the kubeconfig": "Mostra os clusters definidos no kubeconfig",
  "Display merged kubeconfig settings or a specified kubeconfig file":
    "Mostra a configuração do kubeconfig mescladas ou um arquivo kubeconfig especificado",
  "Display one or many resources": "Mostra um ou mais recursos",
  "Drain node in preparation for maintenance": "Drenar o node para preparação de manutenção",
  "Edit a resource on the server": "Edita um recurso no servidor",
  "Execute a command in a container": "Executa um comando em um container",
  "Forward one or more local ports to a pod": "Encaminhar uma ou mais portas locais para um pod",
  "Mark node as schedulable": "Marca o node como agendável",
  "Mark node as schedulable.": "Remove a restrição de execução de workloads no node.",
  "Mark node as unschedulable": "Marca o node como não agendável",
  "Mark node as unschedulable.": "Aplica a restrição de execução de workloads no node.",
  "Mark the provided resource as paused": "Marca o recurso fornecido como pausado",
  "Modify kubeconfig files": "Edita o arquivo kubeconfig",
  "Print the client and server version information":
    "Mostra a informação de versão do cliente e do servidor",
  "Print the list of flags inherited by all commands":
    "Mostra a lista de opções herdadas por todos os comandos",
  "Print the logs for a container in a pod": "Mostra os logs de um container em um pod",
  "Resume a paused resource": "Retoma um recurso pausado",
  "Run a particular image on the cluster": "Executa uma imagem específica no cluster",
  "Run a proxy to the Kubernetes API server":
    "Executa um proxy para o servidor de API do Kubernetes",
  "Set specific features on objects": "Define funcionalidades específicas em objetos",
  "Set the selector on a resource": "Define um seletor em um recurso",
  "Show details of a specific resource or group of resources":
    "Mostra os detalhes de um recurso específico ou de um grupo de recursos",
  "Show the status of the rollout": "Mostra o status de uma atualização dinamica",
  "Undo a previous rollout": "Desfazer o rollout anterior",
  "Update resource requests/limits on objects with pod templates":
    "Atualizar os recursos de request/limites em um objeto com template de pod",
  "Update the annotations on a resource": "Atualizar as anotações de um recurso",
  "Update the labels on a resource": "Atualizar os labels de um recurso",
  "Update the taints on one or more nodes": "Atualizar o taints de um ou mais nodes",
  "View rollout history": "Visualizar o histórico de rollout",
};
