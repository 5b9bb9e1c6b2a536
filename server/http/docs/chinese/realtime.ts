/** Endpoints of realtime sessions. */
export const realtime: Readonly<Record<string, string>> = {
  'Name of a realtime model.': '实时模型的名称。',
  '`transcription`: a session that only transcribes audio, with the model of the query or of the client secret.':
    '`transcription`：仅转录所听内容的会话，使用查询参数或客户端密钥中的模型。',
  'Open a realtime session': '打开实时会话',
  'A WebSocket. The key is sent in any of the headers, or as the subprotocol `openai-insecure-api-key.KEY` next to `realtime`. Errors before the upgrade have their HTTP status.':
    'WebSocket。密钥放在任一请求头中，或作为子协议 `openai-insecure-api-key.KEY` 与 `realtime` 并列。升级之前的错误使用其 HTTP 状态。',
  'The demo speaks OpenAI’s words only and refuses this. A Gemini channel serves it, with `ai.live.connect` of Google’s SDK too.':
    '演示渠道只支持 OpenAI 的格式，会拒绝此请求。Gemini 渠道支持，也可使用 Google SDK 的 `ai.live.connect`。',
  'Gemini: open a live session': 'Gemini：打开实时会话（Live）',
  'A WebSocket. The service is `google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent`, or the same of `v1` or `v1alpha`. The first frame, `setup`, names a model of a Gemini or Vertex channel. Frames are passed unchanged except for handles of `sessionResumption`, which are sealed: only their own user can use them. A refusal after the upgrade closes the connection with 1007, 1008, 1011 or 1013 and the reason. `BidiGenerateContentConstrained` is the same with a token of `/v1alpha/auth_tokens` as `access_token`.':
    'WebSocket。服务名为 `google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent`，或 `v1`、`v1alpha` 的同名服务。第一帧 `setup` 指定 Gemini 或 Vertex 渠道的模型。除 `sessionResumption` 的句柄会被密封（只对其用户有效）外，各帧原样传递。升级之后的拒绝以 1007、1008、1011 或 1013 及原因关闭连接。`BidiGenerateContentConstrained` 相同，但以 `/v1alpha/auth_tokens` 的令牌作为 `access_token`。',
  Realtime: '实时',
  'Speech and text in both directions, over a WebSocket, WebRTC or SIP.': '经 WebSocket、WebRTC 或 SIP 的双向语音与文本。',
  'A key for a browser’s realtime session': '供浏览器实时会话使用的密钥',
  'Valid for 10 minutes, or 10 seconds to 2 hours by `expires_after`, only for the WebSocket, at the expense and within the limits of the key that requested it; it becomes invalid with that key. `session` is applied when the session begins.':
    '有效 10 分钟，或按 `expires_after` 为 10 秒至 2 小时，只能用于该 WebSocket；费用与限制归申请它的密钥，并随该密钥失效。会话开始时按 `session` 设置。',
  'What the session is set to: 6,144 characters at most.': '会话的设置：最多 6,144 个字符。',
  'The same for the beta version of the protocol': '同上，用于协议的 beta 版本',
  'The same for a session that only transcribes, in the beta version': '同上，用于 beta 版本的仅转录会话',
  'Valid for a minute. In the current protocol use `session.type` `transcription` at `client_secrets`.':
    '有效一分钟。现行协议在 `client_secrets` 中以 `session.type` 为 `transcription` 申请。',
  'Good for a minute.': '有效一分钟。',
  'Gemini: open a live session as clients of Vertex do': 'Gemini：按 Vertex 客户端的方式打开实时会话',
  'The same at `google.cloud.aiplatform.v1.LlmBidiService/BidiGenerateContent`, or of `v1beta1`. Usage is reported under Vertex’s names, on any channel.':
    '同上，位于 `google.cloud.aiplatform.v1.LlmBidiService/BidiGenerateContent`，或 `v1beta1` 的同名服务。无论哪个渠道，用量都以 Vertex 的字段名告知。',
  'Gemini: a token for a browser’s live session': 'Gemini：供浏览器实时会话使用的令牌',
  'For a browser: valid for `uses` sessions (default 1; 0: any number) that begin before `newSessionExpireTime` (default: one minute) and run until `expireTime` (default: 30 minutes; both at most 20 hours), at the expense and within the limits of the key that requested it; it becomes invalid with that key. `bidiGenerateContentSetup` configures the session instead of the client; with `fieldMask` only the fields named there are fixed by it, with its values or as absent. Resuming a session does not count as a use.':
    '供浏览器使用：可用于 `uses` 个会话（默认 1；0 为不限），会话须在 `newSessionExpireTime`（默认一分钟）之前开始，最晚到 `expireTime`（默认半小时；两者最多 20 小时）；费用与限制归申请它的密钥，并随该密钥失效。`bidiGenerateContentSetup` 代替客户端设置会话；有 `fieldMask` 时只取其中列出的字段，缺少的字段则去掉。继续已有会话不再计次。',
  '`auth_tokens/...`: the key of the session, in full.': '`auth_tokens/...`：完整作为会话的密钥使用。',
  'Instead of a model: the caller’s own call, which the session joins. Its usage is charged with the call.':
    '代替模型：自己的通话，会话连接在其旁。其中的用量随该通话计费。',
  'Open a call over WebRTC': '经 WebRTC 打开通话',
  'The description of the client’s connection, as a form with `sdp` and `session`, or alone as `application/sdp`: then the model is in the client secret, or in the query as `model`. It goes to a channel whose upstream holds calls; the response is the upstream’s, and `Location` names the call. Audio flows directly between client and upstream. Parley meters usage over a sideband connection, holds money ahead, charges each response as in a WebSocket session, and hangs up when money or a budget runs out or the key becomes invalid. The log row is written when the call is over. Pages of any site may send it with a client secret, and read the answer.':
    '客户端连接的描述：作为含 `sdp` 与 `session` 的表单，或单独作为 `application/sdp`（此时模型来自客户端密钥，或查询参数 `model`）。它被转给上游支持通话的渠道；应答来自上游，`Location` 给出通话的 id。声音在两端之间直接传输。Parley 在旁获知用量，预先冻结金额，按 WebSocket 会话的方式对每个响应计费，并在余额或预算用尽、密钥失效时挂断。通话结束后日志中才有其记录。任何网站的页面都可以凭客户端密钥发送并读取回答。',
  'Accept an incoming SIP call': '接受经 SIP 呼入的通话',
  'The body is the session, with the name of a model here. An incoming call has no owner yet: only channels with `foreignState: allow` are used, whose account has only one tenant. From then on it belongs to the caller, and is monitored and charged like any other.':
    '请求体为会话设置，模型用此处的名称。呼入的通话不属于任何人：只询问 `foreignState: allow` 的渠道，其账户只由一个租户使用。此后该通话归调用者所有，与其他通话一样被关注和计费。',
  'Reject an incoming SIP call': '拒绝经 SIP 呼入的通话',
  '`status_code` replaces the default 603.': '若不用 603，则以 `status_code` 指定。',
  'Transfer a call to another number': '将自己的通话转接到另一号码',
  'Hang up one’s own call': '挂断自己的通话',
  'The description of the client’s connection: 256 KiB at most.': '客户端连接的描述：最多 256 KiB。',
  'What the session is set to, with its model, as JSON: 256 KiB at most.': '会话的设置及其模型，JSON 格式：最多 256 KiB。',
  'The demo holds no calls and refuses this. A channel of OpenAI’s or Azure’s serves it; browsers make the offer themselves.':
    '演示渠道不支持通话，会拒绝。OpenAI 或 Azure 的渠道支持；offer 由浏览器自行生成。',
  'There is no such call here, which is refused. Its id is in `Location`, or in the upstream’s webhook for a call that came in.':
    '此处没有这样的通话，会被拒绝。其 id 在 `Location` 中，呼入的通话则在上游的 webhook 中。',
}
