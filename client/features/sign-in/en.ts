export const en = {
  title: 'Sign in',
  intro: 'One door to every model.',
  name: 'User name',
  password: 'Password',
  submit: 'Sign in',
  accounts: 'Accounts on this server are made by its administrator.',
  wrong: 'User name and password do not match.',
  tooMany: 'Too many attempts. Wait fifteen minutes, then sign in again.',
  offline: 'The server does not answer. Check the connection and sign in again.',
  failed: 'Signing in did not work ({code}). Nothing was changed.',
  door: 'Five protocols go in through one door and reach five upstreams',
}
