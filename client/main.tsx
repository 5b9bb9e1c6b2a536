/** The client's roof: turn the key, find out who is there, and open the right room. */
import { render } from 'solid-js/web'
import './styles.css'
import { App } from './routes.tsx'

const root = document.getElementById('root')
if (root) render(() => <App />, root)
