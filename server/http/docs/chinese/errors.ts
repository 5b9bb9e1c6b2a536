/** What the error codes mean. */
export const errors: Readonly<Record<string, string>> = {
  'The request is malformed, or an upstream refused it. The message says why.': '请求格式有误，或被上游拒绝。原因见错误信息。',
  'The body is not valid JSON, or is nested too deeply.': '请求体不是有效的 JSON，或嵌套过深。',
  'The value of a field is not allowed; `param` names the field.': '字段的值不被允许；`param` 给出该字段。',
  'A required field is missing; `param` names it.': '缺少必填字段；`param` 给出该字段。',
  'The console does not know this field; `param` names it.': '控制台不认识此字段；`param` 给出该字段。',
  'The body has a duplicate name in an object, or a name that differs from a known one only in case or spelling. Other parsers would read it differently.':
    '请求体的同一对象中有重复的名称，或有仅大小写或拼写与已知名称不同的名称。其他程序会有不同的解读。',
  'Changing the base URL of a channel requires its keys to be entered again.': '更改渠道的基础 URL 须重新输入其密钥。',
  'No channel of the model supports this, or strict mode refuses a lossy conversion; `param` names the field.':
    '该模型没有支持此项的渠道，或严格模式拒绝有损转换；`param` 给出该字段。',
  'The request uses something that the upstream charges extra for and the model’s price does not cover; `param` names the field.':
    '请求中有上游收费高于该模型标价的内容；`param` 给出该字段。',
  'The password is common, or little more than a name. Choose one that is hard to guess.':
    '密码太常见，或与名称相差无几。请选一个难以猜到的。',
  'No channel of the model serves this endpoint.': '该模型没有提供此端点的渠道。',
  'The playground supports text only.': '操练场只支持文本。',
  'The Host header or the URL is malformed.': 'Host 请求头或 URL 格式有误。',
  'The key is missing, wrong, expired or disabled.': '密钥缺失、错误、已过期或已停用。',
  'The request has two different API keys. Send only one.': '请求含两个不同的 API 密钥。只发送一个。',
  'Sign in first.': '请先登录。',
  'The name or the password is wrong.': '名称或密码错误。',
  'The token is not the one that was printed at startup.': '令牌与启动时打印的不同。',
  'Your role, or the settings, do not allow this; the message says who may.': '你的角色或设置不允许这样做；错误信息说明谁可以。',
  'A quota of the account is used up; the message names it. Delete something, or ask an administrator.':
    '账号的某项配额已用完，错误信息给出是哪一项。请删除一些内容，或联系管理员。',
  'The request came from a page of another site. Nothing was changed.': '请求来自其他网站的页面。未作任何更改。',
  'The group does not exist, or you may not use it.': '分组不存在，或你不能使用。',
  'The key is limited to other addresses than the one the request came from.': '密钥只允许其他地址使用，而请求来自此地址。',
  'There is nothing at this address, or you may not see it.': '此地址没有内容，或你无权查看。',
  'The model is not available to the group or the key, or has no price.': '该模型不对此分组或密钥开放，或没有价格。',
  'The address does not support this method. The Allow header lists those it does.': '此地址不支持该方法。Allow 响应头列出支持的方法。',
  'The body did not arrive in time. Send it again.': '请求体未及时到达。请重新发送。',
  'Setup is already done. Sign in.': '设置已完成。请登录。',
  'The body of this request is in the files of another instance. Ask that one.': '此请求的内容在另一个实例的文件中。请向那个实例查询。',
  'The body of this request was stored only in part, so it cannot be sent again.': '此请求的内容未完整保留，因此不能再次发送。',
  'Part of the body of this request was blanked before it was stored, so it cannot be sent again.':
    '此请求的内容在保留前有部分被遮盖，因此不能再次发送。',
  'Requests of this kind cannot be replayed, or not with these changes.': '此类请求不能重放，或不能作这些更改。',
  'The body of this request cannot be read: its file is missing or damaged.': '此请求的内容无法读取：文件缺失或损坏。',
  'The name is already in use. Choose another.': '名称已被使用。请换一个。',
  'This is declared in parley.yaml and can be changed only there.': '由 parley.yaml 声明，只能在那里更改。',
  'It cannot be deleted, because something else still uses it.': '无法删除，仍有其他内容在使用它。',
  'This Idempotency-Key or reference was already used for a different request.': '此 Idempotency-Key 或 reference 已用于另一个请求。',
  'The body, or a file in it, is too large.': '请求体或其中的文件过大。',
  'The address does not accept bodies of this content type.': '此地址不接受这种内容类型的请求体。',
  'This host name is not served here. The operator can allow it with PARLEY_ALLOWED_HOSTS.':
    '此处不服务该主机名。运维人员可用 PARLEY_ALLOWED_HOSTS 允许它。',
  'Too many requests, tokens or concurrent requests. Retry after the time in Retry-After.':
    '请求、token 或并发请求过多。请在 Retry-After 所示时间之后重试。',
  'Too many failed attempts to sign in or to redeem a code. Retry after the time in Retry-After.':
    '登录或兑换失败次数过多。请在 Retry-After 所示时间之后重试。',
  'The balance or a budget does not cover the highest possible cost of the request, or the rest of its answer. Only what was answered is charged.':
    '余额或预算不足以支付请求的最高可能费用，或其回答的剩余部分。只对已回答的部分收费。',
  'An internal error occurred in Parley. Its log has the details under the request id.':
    'Parley 发生内部错误。详情见其日志中该请求 id 之处。',
  'The ledger is unreachable right now. Retry shortly.': '账本暂时不可达。请稍后重试。',
  'The ledger is unreachable and the journal is full. Nothing was charged. Retry shortly.': '账本不可达，且日志已满。未收费。请稍后重试。',
  'Parley is starting, shutting down or overloaded. Retry shortly.': 'Parley 正在启动、停止或过载。请稍后重试。',
  'Every channel of the model is switched off, or is resting after failures and already has as many trial requests as it takes.':
    '该模型的所有渠道都已关闭，或在失败后停歇且已达其间允许的请求数。',
  'The upstream refused the request. Its status is passed on.': '上游拒绝了请求。状态原样转发。',
  'The upstream refused the channel’s key. The operator has to fix it.': '上游拒绝了渠道的密钥。须由运维人员处理。',
  'The upstream failed. Retrying may help.': '上游失败。重试可能有效。',
  'The upstream did not answer in time.': '上游未及时回答。',
  'The upstreams of all channels are rate limited. They are tried again after the time that they named, at most a minute.':
    '所有渠道的上游都在限流。到其给出的时间（最长一分钟）之后会再次询问。',
  'Parley does not serve this. The message says what would be needed, or what to use instead.':
    'Parley 不提供此项。错误信息说明需要什么，或可用什么代替。',
}
