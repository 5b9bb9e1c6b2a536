/** Texts about the checks of the books. */
export const books: Readonly<Record<string, string>> = {
  'Check the books': '核对账目',
  'Compares balances with entries, rows with entries, sums with rows, budgets with rows, leases with instances, and the journals of this instance with all of them. It reads everything.':
    '核对余额与分录、用量行与分录、汇总与用量行、预算与用量行、租约与实例，以及本实例的日志与以上各项。会读取全部数据。',
  'Compare an upstream’s invoice': '核对上游账单',
  'Compares an upstream’s export of its charges (CSV) with the known costs of requests to its channels, by day and model. Changes nothing.':
    '把上游导出的费用（CSV）与发往其渠道的请求的已知成本按天、按模型进行比较。不做任何更改。',
}
