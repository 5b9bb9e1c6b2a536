/** What is said of the addresses at which clients of other services look for the same endpoints. */
export const addresses: Readonly<Record<string, string>> = {
  'The key, as Azure’s clients send it. Any other carrier works too.': '密钥，按 Azure 客户端的发送方式。其他方式也可用。',
  'Accepted and not looked at.': '接受，但不读取。',
  'Azure’s addresses: ask a deployment': 'Azure 的地址：请求某个部署',
  'The operation is `chat/completions`, `completions`, `embeddings`, `images/generations`, `images/edits` or one under `audio/`. The deployment is the model; a model in the body is ignored.':
    '操作为 `chat/completions`、`completions`、`embeddings`、`images/generations`、`images/edits` 或 `audio/` 下的一个。部署即模型；请求体中的模型被忽略。',
  'Azure’s addresses: read': 'Azure 的地址：读取',
  '`/openai/v1/...` and `/openai/...` are `/v1/...` with OpenAI’s dialects: give an AzureOpenAI client Parley’s address as its endpoint.':
    '`/openai/v1/...` 和 `/openai/...` 等同于使用 OpenAI 方言的 `/v1/...`：把 Parley 的地址作为 AzureOpenAI 客户端的端点即可。',
  'Azure’s addresses: ask': 'Azure 的地址：请求',
  'There is no such response.': '没有这个响应。',
  'Azure’s addresses: delete': 'Azure 的地址：删除',
  'Google’s addresses for OpenAI’s clients: read': 'Google 供 OpenAI 客户端使用的地址：读取',
  '`/v1beta/openai/...` is `/v1/...` with OpenAI’s dialects.': '`/v1beta/openai/...` 等同于使用 OpenAI 方言的 `/v1/...`。',
  'Google’s addresses for OpenAI’s clients: ask': 'Google 供 OpenAI 客户端使用的地址：请求',
  'Google’s addresses for OpenAI’s clients: delete': 'Google 供 OpenAI 客户端使用的地址：删除',
  Addresses: '地址',
  'The same endpoints where clients of other services look for them: Azure’s and Google’s addresses for OpenAI’s clients.':
    '相同的端点，位于其他服务的客户端所寻找的地址：Azure 的地址，以及 Google 供 OpenAI 客户端使用的地址。',
}
