import type { en } from './en.ts'

/** Chinese messages of the cards beside the settings of a channel. */
export const zh: Record<keyof typeof en, string> = {
  lastHourBars: '最近一小时：{requests} 次尝试，{failed} 次失败',
  lastDay: '过去 24 小时（按小时）：{requests} 次请求，{failed} 次失败',
  lastHour: '最近一小时',
  requests: '请求',
  attemptsOf: '{count}，失败 {failed}',
  attempts: '尝试',
  firstToken: '首个 token',
  median: '{p50}，p95 {p95}',
  lastError: '最近的错误',
  chargedToday: '今天收取',
  costToday: '今天成本',
  whoMayReach: '谁可以使用',
  keysIn: '{groups} 个分组中的 {keys} 个密钥。',
  isOff: '此渠道已停用，不会收到请求。',
  noOther: '没有其他渠道提供它的模型。停用后，对这些模型的请求会立即失败。',
  allShared: '它的全部 {count} 个模型也由以下渠道提供：',
  someShared: '它的 {count} 个模型中有 {shared} 个也由以下渠道提供：',
  andMore: '，以及另外 {count} 个。',
  stop: '。',
  canBeOff: '可以停用而不会中断服务。',
  wouldBeGone: '停用后，部分或全部调用方将无法使用：',
  copyYaml: '复制为 YAML',
  copied: '已复制。密钥以环境变量名代替。',
  test: '测试',
}
