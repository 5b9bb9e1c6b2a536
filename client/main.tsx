/** Entry of the client: renders the application into the page. */
import { render } from 'solid-js/web'
import './styles.css'
import { App } from './routes.tsx'

const root = document.getElementById('root')
if (root) render(() => <App />, root)
