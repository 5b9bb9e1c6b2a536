/** Texts about teams, in Chinese. */
const running = '适用于团队的所有者和经理以及管理员。经理可更改成员和会计，所有者可更改所有人。'

/** Texts about teams. */
export const teams = {
  'Uses the login session instead of an API key; `group` in the body names the group, `team` the team that pays, by id or name. Routing, conversion, billing and retries are the same as for `/v1/chat/completions`. Text only.':
    '使用登录会话而不是 API 密钥；请求体中的 `group` 指定分组，`team` 指定付款的团队（id 或名称）。路由、转换、计费和重试与 `/v1/chat/completions` 相同。仅限文本。',
  'Name or id of a user. Only administrators may name other users, except members of a `team`.':
    '用户的名称或 id。除 `team` 的成员外，只有管理员可以指定其他用户。',
  'Id of a team: its keys, as far as the caller’s role in it allows.': '团队的 id：在调用者角色可见范围内的团队密钥。',
  'Name or id of a team: what it paid, as far as the caller’s role in it allows.':
    '团队的名称或 id：在调用者角色可见范围内由该团队付款的部分。',
  Teams: '团队',
  'The caller’s own; all for administrators.': '自己所属的团队；管理员可见全部。',
  'A value of the identity provider’s claim of groups: whoever signs in with it is a member.':
    '身份提供方分组声明中的一个值：以它登录者成为成员。',
  'Number of members.': '成员人数。',
  'Create a team': '创建团队',
  'One team': '一个团队',
  'For members of the team, and administrators.': '适用于团队成员和管理员。',
  'Change a team': '更改团队',
  'Delete a team': '删除团队',
  'Its keys stop working. Its wallet, entries and usage rows stay.': '其密钥失效。钱包、账目和用量记录保留。',
  'Add or withdraw a team’s credit': '增加或收回团队余额',
  'Entries of a team’s wallet': '团队钱包的账目',
  'For owners, managers and accountants of the team. Newest first, each with the balance after it, regardless of filters; the sum of a day is listed at its newest charge. As CSV it is one file of up to 50,000 rows with the same filters.':
    '供团队的所有者、经理和会计使用。最新在前，每行附该分录之后钱包的余额，无论显示哪些行；一天的合计列在当天最新一笔扣费处。CSV 为一个文件，最多 50,000 行，筛选相同。',
  'Members of a team': '团队成员',
  'Members see only themselves, all other roles every member.': '普通成员只看到自己，其他角色看到所有人。',
  'The user’s.': '用户的 id。',
  'USD since the month began (UTC).': '本月（UTC）以来的支出，美元。',
  'Add a member': '添加成员',
  'For owners and managers of the team, and administrators. Managers may change members and accountants, owners everyone.': running,
  'Change role or cap of a member': '更改成员的角色或上限',
  'Remove a member': '移出成员',
  'For owners and managers of the team, and administrators. Managers may change members and accountants, owners everyone. The keys that the member made stay the team’s.': `${running}该成员创建的密钥仍归团队所有。`,
  'The team does not exist, or you may not spend from it.': '团队不存在，或你不能使用它的余额。',
}
