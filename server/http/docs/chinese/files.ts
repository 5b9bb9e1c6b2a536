/** Texts about files stored for requests, and about counting tokens. */
export const files: Readonly<Record<string, string>> = {
  Files: '文件',
  'Files stored here for requests: uploaded once, used by id in any protocol, on any upstream.':
    '保存在此处、供请求使用的文件：上传一次，在任何协议、任何上游中以其 id 引用。',
  'Upload a file': '上传文件',
  'Requests of any protocol name it by its id, on any upstream: as `file_id`, or as `fileUri` with Gemini. Stored for 30 days, or as `expires_after[seconds]` or `expires_in_seconds` says. The format is that of Messages if the request has a version header or `x-api-key`, Gemini’s if it has `x-goog-api-key` or `?key=`, and OpenAI’s otherwise. Empty ones do not count.':
    '任何协议的请求都以 id 引用它，上游不限：写作 `file_id`，Gemini 写作 `fileUri`。保存 30 天，或按 `expires_after[seconds]`、`expires_in_seconds` 所指定。请求带版本请求头或 `x-api-key` 时用 Messages 的格式，带 `x-goog-api-key` 或 `?key=` 时用 Gemini 的格式，否则用 OpenAI 的格式。空值不算。',
  'A question about the file.': '就该文件提问。',
  '25 MiB at most.': '最多 25 MiB。',
  'Required of OpenAI’s clients: `user_data`, `vision`, `assistants`, `batch`, `evals` or `fine-tune`.':
    'OpenAI 客户端必填：`user_data`、`vision`、`assistants`、`batch`、`evals` 或 `fine-tune`。',
  'Own files': '自己的文件',
  'Newest first. The format is that of Messages if the request has a version header or `x-api-key`, Gemini’s if it has `x-goog-api-key` or `?key=`, and OpenAI’s otherwise. Empty ones do not count.':
    '最新在前。请求带版本请求头或 `x-api-key` 时用 Messages 的格式，带 `x-goog-api-key` 或 `?key=` 时用 Gemini 的格式，否则用 OpenAI 的格式。空值不算。',
  'The same in the words of Messages.': '同一请求，Messages 的格式。',
  'Files per page.': '每页的文件数。',
  'Id of the last file of the previous page (`page` with Messages, `pageToken` with Gemini).':
    '上一页最后一个文件的 id（Messages 为 `page`，Gemini 为 `pageToken`）。',
  'Only those for this purpose.': '只列出此用途的文件。',
  'One file': '单个文件',
  'Delete a file': '删除文件',
  'What is in a file': '文件的内容',
  'Gemini: upload a file': 'Gemini：上传文件',
  'Resumable uploads: `X-Goog-Upload-Command: start` answers with an address in `X-Goog-Upload-URL`, which takes `upload`, `upload, finalize`, `query` and `cancel`, valid for an hour and without a key: it acts for the key that began the upload. Stored for 48 hours.':
    '可续传的上传：`X-Goog-Upload-Command: start` 的回答在 `X-Goog-Upload-URL` 中给出地址，该地址接受 `upload`、`upload, finalize`、`query` 和 `cancel`，一小时内有效且无需密钥：它代表开始上传的密钥。保存 48 小时。',
  'What is to be done.': '要执行的操作。',
  'Gemini: own files': 'Gemini：自己的文件',
  'Gemini: one file': 'Gemini：单个文件',
  'Gemini: delete a file': 'Gemini：删除文件',
  'Count the tokens of a response': '计算一次响应的 token 数',
  'Of the whole conversation, if the request continues a stored response. Free of charge.': '请求续接已存储的响应时，计算整个对话。免费。',
}
