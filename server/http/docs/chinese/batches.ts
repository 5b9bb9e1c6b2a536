/** Texts about batches and multipart uploads. */
export const batches: Readonly<Record<string, string>> = {
  Batches: '批处理',
  'Many requests at once, sent when there is capacity, on any upstream.': '一次提交许多请求，有余量时逐个发出，上游不限。',
  'Batches per page, 1 to 100. Default: 20.': '每页批次数，1 至 100，默认 20。',
  'Id of the last batch of the previous page.': '上一页最后一个批次的 id。',
  'Id of the first batch of the next page.': '下一页第一个批次的 id。',
  'Create a batch': '创建批次',
  'Sends the requests of a file, one per line, within 24 hours, on any upstream: at most four at once, with lower priority than interactive requests, within the limits of the key. All lines are checked first: an error in one, or a balance that does not cover them all, refuses the batch. Nothing stays held: each request holds its maximum cost when it is sent, and has its own row in the log. If money runs out meanwhile, the batch waits for more. A batch has at most 50,000 requests of 1 MiB.':
    '在 24 小时内发出文件中的请求（每行一个），上游不限：最多同时四个，排在有人等待的请求之后，并遵守密钥的限制。先检查所有行：任何一行有错，或余额不足以支付全部，都会拒绝整个批次。不会一直冻结金额：每个请求在发出时冻结其最高费用，并在日志中有自己的一行。若途中余额用尽，批次会等待充值。一个批次最多 50,000 个请求，每个 1 MiB。',
  'Own batches': '自己的批次',
  'One batch': '单个批次',
  'Cancel a batch': '取消批次',
  'Running requests are still answered and charged; the rest are not sent.': '已发出的请求仍会得到回答并计费；其余不再发出。',
  'Messages: create a batch': 'Messages：创建批次',
  'As at `/v1/batches`, with the requests in the call: 32 MiB in all.': '与 `/v1/batches` 相同，请求直接写在调用中：合计 32 MiB。',
  'Messages: own batches': 'Messages：自己的批次',
  'Messages: one batch': 'Messages：单个批次',
  'Messages: delete a batch': 'Messages：删除批次',
  'Only an ended one, with its results. They are deleted automatically after 30 days.': '删除已结束的批次及其结果。30 天后会自动删除。',
  'Messages: cancel a batch': 'Messages：取消批次',
  'Messages: results of a batch': 'Messages：批次的结果',
  'One line of JSON for each request, in their order, once the batch has ended.': '批次结束后，每个请求一行 JSON，按提交顺序排列。',
  'In Gemini’s format if the key is sent as Google’s clients do: the batches that were created that way.':
    '若密钥按 Google 客户端的方式发送，则使用 Gemini 的格式，列出以该格式创建的批次。',
  'Gemini: create a batch': 'Gemini：创建批次',
  'As at `/v1/batches`, with the requests in the call (32 MiB in all) or in a stored file, all for the model in the address. The answers are in the batch if its requests were in the call, otherwise in a file, in the order of the requests.':
    '与 `/v1/batches` 相同，请求写在调用中（合计 32 MiB）或存储的文件中，均使用地址中的模型。请求写在调用中时，回答就在批次里，否则在文件里，按请求的顺序排列。',
  'Gemini: create a batch of embeddings': 'Gemini：创建嵌入批次',
  'Each request has the form of `embedContent`.': '每个请求与 `embedContent` 的格式相同。',
  '`nextPageToken` of the previous page.': '上一页的 `nextPageToken`。',
  'Gemini: own batches': 'Gemini：自己的批次',
  'Gemini: one batch': 'Gemini：单个批次',
  'Gemini: delete a batch': 'Gemini：删除批次',
  'Only an ended one, with its results. They are deleted automatically after 30 days. Used by Google’s newer clients.':
    '删除已结束的批次及其结果。30 天后会自动删除。Google 的新版客户端使用此地址。',
  'Gemini: cancel a batch': 'Gemini：取消批次',
  'At `{id}:cancel`. Running requests are still answered and charged; the rest are not sent.':
    '地址为 `{id}:cancel`。已发出的请求仍会得到回答并计费；其余不再发出。',
  'At `{id}:cancel`. Running requests are still answered and charged; the rest are not sent. Used by Google’s newer clients.':
    '地址为 `{id}:cancel`。已发出的请求仍会得到回答并计费；其余不再发出。Google 的新版客户端使用此地址。',
  'A stored file, `files/...`: in each line `request`, as the action of one takes it, and `key`.':
    '已存储的文件 `files/...`：每行包含 `request`（与单次调用的格式相同）和 `key`。',
  '`BATCH_STATE_RUNNING`, `BATCH_STATE_SUCCEEDED`, `BATCH_STATE_CANCELLED` or `BATCH_STATE_EXPIRED`.':
    '`BATCH_STATE_RUNNING`、`BATCH_STATE_SUCCEEDED`、`BATCH_STATE_CANCELLED` 或 `BATCH_STATE_EXPIRED`。',
  'The answers, or the file with them, in the order of the requests.': '回答，或包含回答的文件，按请求的顺序排列。',
  'A stored file with the purpose `batch`: in each line `custom_id`, `method`, `url` and `body`.':
    '用途为 `batch` 的已存储文件：每行包含 `custom_id`、`method`、`url` 和 `body`。',
  '`/v1/chat/completions`, `/v1/responses`, `/v1/embeddings`, `/v1/completions` or `/v1/moderations`: the `url` of every line.':
    '`/v1/chat/completions`、`/v1/responses`、`/v1/embeddings`、`/v1/completions` 或 `/v1/moderations`：即每一行的 `url`。',
  '`in_progress`, `cancelling`, `completed`, `cancelled` or `expired`.':
    '`in_progress`、`cancelling`、`completed`、`cancelled` 或 `expired`。',
  '`in_progress`, `canceling` or `ended`.': '`in_progress`、`canceling` 或 `ended`。',
  'The batch that it belongs to.': '它所属的批次。',
  'Background responses and interactions, calls, and videos': '后台回答与交互、通话与视频',
  'Running work comes first: responses, interactions and calls that have ended are no longer listed. Videos follow, newest first.':
    '进行中的在前；已结束的回答、交互与通话不再列出；其后是视频，最新在前。',
  'Stop a response, an interaction or a call': '停止回答、交互或通话',
  'What was produced until then is charged. Videos cannot be stopped.': '此前已生成的部分照常计费。视频无法停止。',
  'Batches and their progress, newest first': '批次及其进度，最新在前',
  'Stop a batch': '停止批次',
  'Begin an upload in parts': '开始分段上传',
  'For an hour. The file has at most 25 MiB.': '有效一小时。文件最多 25 MiB。',
  'Upload a part': '上传一段',
  'In any order, also concurrently.': '顺序不限，可同时上传多段。',
  'Complete an upload': '完成上传',
  'The parts become a file, in the given order.': '各段按列出的顺序合成一个文件。',
  'Cancel an upload': '取消上传',
  '`pending`, `completed` or `cancelled`.': '`pending`、`completed` 或 `cancelled`。',
}
