/** English messages of the sign-in page. */
export const en = {
  title: 'Sign in',
  intro: 'One gateway to every model.',
  name: 'Username',
  password: 'Password',
  submit: 'Sign in',
  accounts: 'Accounts on this server are created by its administrator.',
  wrong: 'Wrong username or password.',
  tooMany: 'Too many attempts. Try again in 15 minutes.',
  offline: 'The server is not responding. Check your connection and try again.',
  failed: 'Could not sign in ({code}).',
  illustration: 'Diagram: five protocols go in through one gateway and reach five providers',
}
