/** Endpoints of realtime sessions. */
export const realtime: Readonly<Record<string, string>> = {
  'Name of a realtime model.': '实时模型的名称。',
  '`transcription`: a session that only transcribes what it hears, with the model of the query or of the client secret.':
    '`transcription`：仅转录所听内容的会话，使用查询参数或客户端密钥中的模型。',
  'Open a realtime session': '打开实时会话',
  'A WebSocket. The key is sent in any of the headers, or as the subprotocol `openai-insecure-api-key.KEY` next to `realtime`. Errors before the upgrade have their HTTP status.':
    'WebSocket。密钥放在任一请求头中，或作为子协议 `openai-insecure-api-key.KEY` 与 `realtime` 并列。升级之前的错误使用其 HTTP 状态。',
  'The demo speaks OpenAI’s words only and refuses this. A Gemini channel serves it, with `ai.live.connect` of Google’s SDK too.':
    '演示渠道只支持 OpenAI 的格式，会拒绝此请求。Gemini 渠道支持，也可使用 Google SDK 的 `ai.live.connect`。',
  'Gemini: open a live session': 'Gemini：打开实时会话（Live）',
  'A WebSocket. The service is `google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent`, or the same of `v1` or `v1alpha`. The first frame, `setup`, names a model of a Gemini or Vertex channel. Frames pass unchanged but for handles of `sessionResumption`, which are sealed: they are good for their own user. What is refused after the upgrade closes the connection with 1007, 1008, 1011 or 1013 and the reason. `BidiGenerateContentConstrained` is the same with a token of `/v1alpha/auth_tokens` as `access_token`.':
    'WebSocket。服务名为 `google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent`，或 `v1`、`v1alpha` 的同名服务。第一帧 `setup` 指定 Gemini 或 Vertex 渠道的模型。除 `sessionResumption` 的句柄会被密封（只对其用户有效）外，各帧原样传递。升级之后的拒绝以 1007、1008、1011 或 1013 及原因关闭连接。`BidiGenerateContentConstrained` 相同，但以 `/v1alpha/auth_tokens` 的令牌作为 `access_token`。',
  Realtime: '实时',
  'Speech and text in both directions over a WebSocket.': '经 WebSocket 的双向语音与文本。',
  'A key for a browser’s realtime session': '供浏览器实时会话使用的密钥',
  'Good for 10 minutes, or 10 seconds to 2 hours as `expires_after` says, at the WebSocket and nowhere else, for the money and within the limits of the key that asked for it; it ends with that key. What `session` says is set when the session begins.':
    '有效 10 分钟，或按 `expires_after` 为 10 秒至 2 小时，只能用于该 WebSocket；费用与限制归申请它的密钥，并随该密钥失效。会话开始时按 `session` 设置。',
  'What the session is set to: 6,144 characters at most.': '会话的设置：最多 6,144 个字符。',
  'The same for the beta version of the protocol': '同上，用于协议的 beta 版本',
  'The same for a session that only transcribes, in the beta version': '同上，用于 beta 版本的仅转录会话',
  'Good for a minute. The present protocol asks for one with `session.type` `transcription` at `client_secrets`.':
    '有效一分钟。现行协议在 `client_secrets` 中以 `session.type` 为 `transcription` 申请。',
  'Good for a minute.': '有效一分钟。',
  'Gemini: open a live session as clients of Vertex do': 'Gemini：按 Vertex 客户端的方式打开实时会话',
  'The same at `google.cloud.aiplatform.v1.LlmBidiService/BidiGenerateContent`, or of `v1beta1`. What was used is told under the names of Vertex, on any channel.':
    '同上，位于 `google.cloud.aiplatform.v1.LlmBidiService/BidiGenerateContent`，或 `v1beta1` 的同名服务。无论哪个渠道，用量都以 Vertex 的字段名告知。',
  'Gemini: a token for a browser’s live session': 'Gemini：供浏览器实时会话使用的令牌',
  'For a browser: good for `uses` sessions (1; 0 for any number) that begin before `newSessionExpireTime` (a minute) and run until `expireTime` (half an hour; both 20 hours at most), for the money and within the limits of the key that asked for it; it ends with that key. `bidiGenerateContentSetup` sets the session up in place of the client; with `fieldMask` only the fields that are named there are taken from it, or left out where it has none. To go on with a session is no further use.':
    '供浏览器使用：可用于 `uses` 个会话（默认 1；0 为不限），会话须在 `newSessionExpireTime`（默认一分钟）之前开始，最晚到 `expireTime`（默认半小时；两者最多 20 小时）；费用与限制归申请它的密钥，并随该密钥失效。`bidiGenerateContentSetup` 代替客户端设置会话；有 `fieldMask` 时只取其中列出的字段，缺少的字段则去掉。继续已有会话不再计次。',
  '`auth_tokens/...`: the key of the session, in full.': '`auth_tokens/...`：完整作为会话的密钥使用。',
}
