import type { en } from './en.ts'

export const zh: Record<keyof typeof en, string> = {
  title: '登录',
  intro: '一扇门，通向所有模型。',
  name: '用户名',
  password: '密码',
  submit: '登录',
  accounts: '此服务器的账号由管理员创建。',
  wrong: '用户名与密码不匹配。',
  tooMany: '尝试次数过多。请等待十五分钟后再登录。',
  offline: '服务器没有响应。请检查网络后重新登录。',
  failed: '登录未成功（{code}）。没有任何更改。',
  door: '五种协议经由一扇门，到达五个上游',
}
