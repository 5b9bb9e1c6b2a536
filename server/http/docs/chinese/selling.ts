/** Texts about reselling, in Chinese. */
const begins = '立即开始；已持有的同一套餐延续到新的结束时间，其他套餐被替换。'
const keeps = '已持有者保持原有条款。'

/** Texts about plans, codes and credits. */
export const selling = {
  'Budget and spend of this key': '此密钥的余额与支出',
  'For the holder of a key: what is left of each window of its budget and when the next one begins, and its last thirty days by day and by model. Nothing about other keys, or the wallet that pays.':
    '供密钥持有者查看：预算各时间窗的剩余额度与重置时间，以及最近三十天按天、按模型的支出。不含其他密钥或付款钱包的任何信息。',
  'USD.': '美元。',
  '`daily`, `weekly`, `monthly` or `total`.': '`daily`、`weekly`、`monthly` 或 `total`。',
  'RFC 3339. When the next window begins; null for a total budget.': 'RFC 3339。时间窗重置的时间；总预算为 null。',
  'The plan of the caller': '调用者的套餐',
  'Id of a team of the caller: its plan.': '调用者所属团队的 id：该团队的套餐。',
  'Id of a user. Administrators only.': '用户的 id。仅限管理员。',
  'What is left of each window of the plan in force, and when the next one begins.': '生效套餐各时间窗的剩余额度及重置时间。',
  Plans: '套餐',
  'Create a plan': '创建套餐',
  'Change a plan': '更改套餐',
  'Delete a plan': '删除套餐',
  'Current holders keep it as it was given.': keeps,
  'Give a user a plan': '给用户套餐',
  'Remove the plan of a user': '收回用户的套餐',
  'Give a team a plan': '给团队套餐',
  'Remove the plan of a team': '收回团队的套餐',
  'It begins now; the same plan, if already held, is extended to the new end, any other is replaced.': begins,
  'Codes, newest first': '兑换码，最新的在前',
  'Only the codes of this batch.': '只列出该批次的兑换码。',
  '`open`, `redeemed`, `revoked` or `expired`.': '`open`、`redeemed`、`revoked` 或 `expired`。',
  'Part of the note, the hint, the batch or the id, or of the name of its addressee or redeemer.':
    '备注、提示、批次或 ID 的一部分，或指定用户、兑换者名称的一部分。',
  '`credit` or `refund`.': '`credit` 或 `refund`。',
  'Part of the reference, the reason or the name of the wallet.': '单号、原因或钱包名称的一部分。',
  'In the list: USD refunded of it so far.': '在列表中：至今已退款的美元金额。',
  'Create a batch of codes': '生成一批兑换码',
  'The answer has each code itself in `code`, once.': '应答的 `code` 中含每个兑换码本身，仅此一次。',
  'Revoke a code, or the unredeemed codes of a batch': '撤销一个兑换码，或一个批次中尚未兑换的部分',
  'Redeem a code': '兑换',
  'Credits the wallet of the caller, or of a team that the caller manages, and gives the plan of the code. Exactly once.':
    '充入调用者的钱包，或调用者所管理团队的钱包，并给予兑换码所含的套餐。无论发生什么，只兑换一次。',
  'Credits and refunds of payment systems, newest first': '支付系统的充值与退款，最新的在前',
  'That credit and its refunds.': '该笔充值及其退款。',
  'Id or name of a user or team.': '用户或团队的 id 或名称。',
  'Credit a payment': '入账一笔付款',
  'Posted once under its `reference`: the same fields again get the same answer, others `idempotency_conflict`.':
    '以 `reference` 只入账一次：字段相同的重复请求得到同样的应答，不同则为 `idempotency_conflict`。',
  'Refund a credit': '退还一笔充值',
  'At most what is left of the credit, and at most what is left in the wallet: `balance_too_low` otherwise, or with `partial: true` what there is. Posted once under its own `reference`, as credits are.':
    '不超过该笔充值的未退部分，也不超过钱包可动用的余额：否则为 `balance_too_low`，`partial: true` 则退还现有部分。与充值一样，以自己的 `reference` 只入账一次。',
  'Whose models and price ratio its holders have; null: their own.': '持有者使用其模型和价格倍率的分组；null：各自的分组。',
  'Whether it can still be given.': '是否仍可给出。',
  'How many users and teams have it now.': '目前持有的用户和团队数。',
  'The length of the window: `5h`, `30d`, `1w`, `1mo`.': '时间窗的长度：`5h`、`30d`、`1w`、`1mo`。',
  'RFC 3339. Null where the plan ends before.': 'RFC 3339。若套餐先结束则为 null。',
  'The codes that were made together.': '一起生成的兑换码。',
  'The code itself, which is never shown again.': '兑换码本身，不会再次显示。',
  'The reference of the credit that this refunds.': '所退充值的 reference。',
  'USD; negative for a refund.': '美元；退款为负数。',
  'creates and revokes codes, gives plans, posts and refunds credits of payment systems':
    '生成和撤销兑换码、给出套餐、入账和退还支付系统的充值',
  'The code cannot be redeemed: it is mistyped, used, revoked, expired, or for someone else.':
    '无法兑换：兑换码输入有误、已使用、已撤销、已过期，或属于他人。',
  'You have already redeemed this code. It was credited once.': '你已兑换过此码。只入账了一次。',
  'Another plan is running. The code stays valid; redeem it when that plan has ended.': '另一个套餐正在生效。待其结束后仍可使用此码。',
  'The refund exceeds what is left of its credit after earlier refunds.': '退款超过该笔充值扣除先前退款后的余额。',
  'The wallet has too little for the refund. `partial: true` takes what is left.': '钱包余额不足以退款。`partial: true` 退还现有部分。',
}
