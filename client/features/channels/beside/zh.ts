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
  chargedToday: '今日计费',
  costToday: '今日成本',
  whoMayReach: '谁可以使用',
  keysIn: '{groups} 个分组中的 {keys} 个密钥。',
  isOff: '此渠道已关闭，不会收到请求。',
  noOther: '没有其他渠道提供它的模型。关闭后，对这些模型的请求会立即失败。',
  allShared: '它的全部 {count} 个模型也由以下渠道提供：',
  someShared: '它的 {count} 个模型中有 {shared} 个也由以下渠道提供：',
  andMore: '，以及另外 {count} 个。',
  stop: '。',
  canBeOff: '可以关闭而不会中断服务。',
  wouldBeGone: '关闭后，部分或全部调用者将无法使用：',
  copyYaml: '复制为 YAML',
  copied: '已复制。密钥以环境变量名代替。',
  test: '测试',
}
