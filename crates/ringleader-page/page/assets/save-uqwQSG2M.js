function e({name:e,type:t,text:n}){let r=URL.createObjectURL(new Blob([n],{type:t})),i=document.createElement(`a`);i.href=r,i.download=e,i.click(),setTimeout(()=>URL.revokeObjectURL(r),1e4)}function t(e){let t=e===null?``:String(e);return/[",\n\r]/.test(t)?`"${t.replaceAll(`"`,`""`)}"`:t}function n(e,n){return[e,...n].map(e=>e.map(t).join(`,`)).join(`\r
`)+`\r
`}export{e as n,n as t};