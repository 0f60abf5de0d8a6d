#!/usr/bin/env python3
"""Makes the PTX and manifest.json from Triton and Gluon kernels, without a GPU or driver: generate.py [TEXT of ids]; needs triton 3.9.0.
generate.py --into FOLDER writes them there, not into the tree.
Expected results are numpy expressions over f64 and i64 views of the inputs (../expected.py)."""
import os,sys,json,warnings
os.environ.setdefault('TRITON_DISABLE_LINE_INFO','1'); os.environ.setdefault('TRITON_CACHE_DIR',os.path.expanduser('~/.cache/triton')); os.environ.setdefault('TRITON_DEFAULT_FP_FUSION','1')
HERE=os.path.dirname(os.path.abspath(__file__)); sys.path.insert(0,HERE)
import triton, triton.language as tl, time
from triton.backends.compiler import GPUTarget
from triton.experimental.gluon._runtime import GluonASTSource
from triton.experimental.gluon import language as gl
import kernels as K, gkernels as G
TT={'f32':'fp32','f16':'fp16','bf16':'bf16','i8':'i8','u8':'u8','i32':'i32','i64':'i64','e4m3':'fp8e4nv','e5m2':'fp8e5'}
SZ={'f32':4,'f16':2,'bf16':2,'i8':1,'u8':1,'i32':4,'i64':8,'e4m3':1,'e5m2':1}
cases=[]
def buf(n,dt,shape,init='normal',seed=1,**k): return dict(kind='in',name=n,dtype=dt,shape=list(shape),init=init,seed=seed,**k)
def out(n,dt,shape,expect,tol=0,init='nan',**k): return dict(kind='out',name=n,dtype=dt,shape=list(shape),expect=expect,tol=tol,init=init,**k)
def i32(n,v): return dict(kind='i32',name=n,value=v)
def f32(n,v): return dict(kind='f32',name=n,value=v)
def td(n,of,block,layout=None): return dict(kind='tdesc',name=n,buf=of,block=list(block),_layout=layout)
def hid(p): return dict(p,param=False)
def case(id,fn,params,consts,grid,targets=(80,90),warps=4,gluon=False,expect_ws=False,**opts):
    cases.append(dict(id=id,fn=fn,params=params,consts=consts,grid=list(grid),targets=targets,warps=warps,gluon=gluon,opts=opts))
# ---- simple
case('vadd',K.vadd,[buf('x','f32',[1000]),buf('y','f32',[1000],seed=2),out('o','f32',[1000],'f4(x+y)'),i32('n',1000)],dict(B=256),(4,))
for dt in('f32','bf16'):
    case('softmax_'+dt,K.softmax,[buf('x',dt,[3,700]),out('o',dt,[3,700],'softmax(x)',2e-6 if dt=='f32' else 8e-3),i32('n',700)],dict(B=1024),(3,))
case('layernorm_bf16',K.layernorm,[buf('x','bf16',[3,896]),buf('w','bf16',[896],seed=2),buf('b','bf16',[896],seed=3),out('o','bf16',[3,896],'layernorm(x,w,b,1e-5)',8e-3),i32('n',896),f32('eps',1e-5)],dict(B=1024),(3,))
case('reduce2d',K.reduce2d,[buf('x','f32',[64,128],init='int32'),out('osum','f32',[128],'x.sum(0)'),out('omax','f32',[64],'x.max(1)'),out('oarg','i32',[64],'x.argmax(1)'),out('omin','f32',[128],'x.min(0)'),out('oxor','i32',[64],'np.bitwise_xor.reduce(x.astype(np.int64),1)')],dict(M=64,N=128),(1,))
# ---- matmul
def mm(id,dt,acc,odt,M,N,Kk,BM,BN,BK,bt=False,at=False,prec='tf32',targets=(80,90),warps=4,stages=3,tol=0,init='int4'):
    A=buf('a',dt,[Kk,M] if at else [M,Kk],init); B=buf('b',dt,[N,Kk] if bt else [Kk,N],init,seed=2)
    ex='%s @ %s'%('a.T' if at else 'a','b.T' if bt else 'b')
    case(id,K.matmul,[A,B,out('c',odt,[M,N],ex,tol),i32('M',M),i32('N',N),i32('K',Kk),i32('sam',1 if at else Kk),i32('sak',M if at else 1),i32('sbk',1 if bt else N),i32('sbn',Kk if bt else 1)],
        dict(BM=BM,BN=BN,BK=BK,ACC=acc,PREC=prec),((M+BM-1)//BM,(N+BN-1)//BN),targets,warps,num_stages=stages)
for dt in('bf16','f16'):
    mm('matmul_%s_nn'%dt,dt,tl.float32,'f32',96,80,160,64,64,32)
    mm('matmul_%s_nt'%dt,dt,tl.float32,'f32',96,80,160,64,64,32,bt=True)
mm('matmul_bf16_tn',"bf16",tl.float32,'f32',64,64,160,64,64,32,at=True)
mm('matmul_bf16_tt',"bf16",tl.float32,'f32',64,64,160,64,64,32,at=True,bt=True)
mm('matmul_bf16_128x128x64_w8','bf16',tl.float32,'bf16',128,128,320,128,128,64,bt=True,warps=8,tol=4e-3)
mm('matmul_bf16_64x32x64','bf16',tl.float32,'f32',64,32,320,64,32,64)
mm('matmul_f16acc16','f16',tl.float16,'f16',64,64,160,64,64,32,init='int2')
mm('matmul_i8_nt','i8',tl.int32,'i32',64,64,320,64,64,64,bt=True,init='i8')
mm('matmul_i8_nn','i8',tl.int32,'i32',64,64,320,64,64,64,init='i8')
mm('matmul_tf32_nn','f32',tl.float32,'f32',64,64,160,64,64,32)
mm('matmul_tf32_nt','f32',tl.float32,'f32',64,64,160,64,64,32,bt=True)
mm('matmul_tf32x3','f32',tl.float32,'f32',64,64,160,64,64,32,prec='tf32x3',init='normal',tol=2e-4)
mm('matmul_ieee','f32',tl.float32,'f32',32,32,160,32,32,32,prec='ieee')
mm('matmul_e4m3_nt','e4m3',tl.float32,'f32',64,64,320,64,64,64,bt=True,targets=(89,90))
mm('matmul_e4m3_nn','e4m3',tl.float32,'f32',64,64,320,64,64,64,targets=(89,90))
mm('matmul_e5m2_nt','e5m2',tl.float32,'f32',64,64,320,64,64,64,bt=True,targets=(80,89,90))
for bt in(0,1):
    case('matmul_tma_dev_'+('nt' if bt else 'nn'),K.matmul_tma_dev,[buf('a','bf16',[128,320],'int4'),buf('b','bf16',[64,320] if bt else [320,64],'int4',seed=2),out('c','bf16',[128,64],'a@b.T' if bt else 'a@b',4e-3),i32('M',128),i32('N',64),i32('K',320)],dict(BM=64,BN=64,BK=64,BT=bool(bt)),(2,1),(90,))
def tmah(id,M,N,Kk,BM,BN,BK,ws,dt='bf16',odt='bf16',warps=4,stages=3):
    case(id,K.matmul_tma_host,[hid(buf('a',dt,[M,Kk],'int4')),hid(buf('b',dt,[N,Kk],'int4',seed=2)),hid(out('c',odt,[M,N],'a@b.T',4e-3 if odt!='f32' else 0)),td('da','a',[BM,BK]),td('db','b',[BN,BK]),td('dc','c',[BM,BN]),i32('K',Kk)],dict(BM=BM,BN=BN,BK=BK,WS=ws),((M+BM-1)//BM,(N+BN-1)//BN),(90,),warps,num_stages=stages)
tmah('matmul_tma_host',128,128,320,64,64,64,False)
tmah('matmul_tma_host_w8',128,256,320,128,256,64,False,warps=8)
tmah('matmul_tma_host_bk32_oob',100,72,160,64,64,32,False)
tmah('matmul_tma_host_bk128',64,64,256,64,64,128,False)
tmah('matmul_tma_host_f32out',64,64,128,64,64,64,False,odt='f32')
tmah('matmul_tma_host_f16',64,64,128,64,64,64,False,dt='f16',odt='f16')
tmah('matmul_tma_host_e4m3',64,64,640,64,64,128,False,dt='e4m3',odt='f16')
tmah('matmul_tma_host_tf32',64,64,128,64,64,32,False,dt='f32',odt='f32')
tmah('matmul_tma_ws',64,128,576,64,128,64,True)
case('matmul_persist_ws',K.matmul_persist_ws,[hid(buf('a','bf16',[256,128],'int4')),hid(buf('b','bf16',[128,128],'int4',seed=2)),hid(out('c','bf16',[256,128],'a@b.T',4e-3)),td('da','a',[64,64]),td('db','b',[128,64]),td('dc','c',[64,128]),i32('M',256),i32('N',128),i32('K',128)],dict(BM=64,BN=128,BK=64,NP=1),(1,),(90,))
# ---- attention / ssd / conv
for dt in('bf16','f16'):
    case('attn_causal_'+dt,K.attn,[buf('q',dt,[2,112,64]),buf('k',dt,[2,112,64],seed=2),buf('v',dt,[2,112,64],seed=3),out('o',dt,[2,112,64],'attn(q,k,v,0.125)',1.2e-2),i32('T',112),f32('scale',.125)],dict(D=64,BM=64,BN=32),(2,2))
case('attn_causal_bf16_d128_w8',K.attn,[buf('q','bf16',[1,128,128]),buf('k','bf16',[1,128,128],seed=2),buf('v','bf16',[1,128,128],seed=3),out('o','bf16',[1,128,128],'attn(q,k,v,0.088)',1.2e-2),i32('T',128),f32('scale',.088)],dict(D=128,BM=128,BN=64),(1,1),warps=8)
case('ssd_chunk',K.ssd_chunk,[buf('c','bf16',[2,64,64]),buf('b','bf16',[2,64,64],seed=2),buf('x','bf16',[2,64,64],seed=3),buf('la','f32',[2,64],'negunit',seed=4),out('o','f32',[2,64,64],'ssd(c,b,x,la)[0]',1e-2),out('ost','f32',[2,64,64],'ssd(c,b,x,la)[1]',1e-2)],dict(L=64,N=64,P=64),(2,))
case('conv1d',K.conv1d,[buf('x','bf16',[70,96]),buf('w','bf16',[96,4],seed=2),buf('b','bf16',[96],seed=3),out('o','bf16',[70,96],'conv1d(x,w,b)',1e-2),i32('T',70),i32('C',96)],dict(BT=32,BC=64,W=4),(3,2))
# ---- integer, sort, scan, atomics
case('sort_i32',K.sort1d,[buf('x','i32',[2,256],'i32'),out('o','i32',[2,256],'np.sort(x,1)')],dict(N=256,DESC=False),(2,))
case('sort_f32_desc',K.sort1d,[buf('x','f32',[2,512]),out('o','f32',[2,512],'-np.sort(-x,1)')],dict(N=512,DESC=True),(2,))
case('topk_f32',K.topk,[buf('x','f32',[2,512]),out('o','f32',[2,8],'-np.sort(-x,1)[:,:8]')],dict(N=512,K=8),(2,))
case('histo_atomic',K.histo_atomic,[buf('idx','i32',[500],'mod16'),buf('val','f32',[500],'int4',seed=2),out('o','f32',[16],'np.bincount(idx,val,16)',init='zero'),out('oi','i32',[16],'np.array([np.flatnonzero(idx==j).max() for j in range(16)])',init='zero'),i32('n',500)],dict(B=128),(4,))
case('lock_cas',K.lock_cas,[hid(buf('z','i32',[1],'zero')),out('lock','i32',[1],'z',init='zero'),out('o','f32',[64],'x.sum(0)',init='zero'),buf('x','f32',[3,64],'int4')],dict(B=64),(3,),warps=1)
case('gather_rows_bf16',K.gather_rows,[buf('tab','bf16',[50,64]),buf('idx','i32',[32],'mod50'),out('o','bf16',[32,64],'tab[idx]')],dict(D=64,B=16),(2,))
case('gather_in_tile',K.gather_in_tile,[buf('x','f32',[16,64]),buf('idx','i32',[16,64],'mod64'),out('o','f32',[16,64],'np.take_along_axis(x,idx,1)')],dict(M=16,N=64),(1,))
case('scans',K.scans,[buf('x','f32',[32,128],'int4'),buf('a','f32',[32,128],'unit',seed=2),out('ocum','f32',[32,128],'x.cumsum(1)'),out('oprod','f32',[32,128],'x[::-1].cumsum(0)[::-1]'),out('olin','f32',[32,128],'linscan(a,x)',1e-5)],dict(M=32,N=128),(1,))
case('elementwise',K.elementwise,[buf('x','f32',[300],'wide'),buf('y','f32',[300],seed=2),out('o','f32',[12,300],'elem(x,y)',3e-5),i32('n',300)],dict(B=512),(1,))
case('intops',K.intops,[buf('x','i32',[300],'i32'),buf('y','i32',[300],'i16nz',seed=2),out('o','i32',[12,300],'intops(x,y)'),out('of','f32',[300],'f4(f4(x&0xffffffff)+f4(y))'),i32('n',300)],dict(B=512),(1,))
for t in(80,90):
    ps=[buf('x','f32',[512],'wide'),out('obf','bf16',[512],'bf(x)'),out('oh','f16',[512],'x.astype(np.float16)'),out('o8','e4m3',[512],'e4m3(x)'),out('o85','e5m2',[512],'e5m2(x)'),i32('n',512)]
    if t==80: ps[3]=dict(kind='none',name='o8')
    case('casts',K.casts,ps,dict(B=512),(1,),(t,))
case('transpose_bf16',K.transpose,[buf('x','bf16',[64,64]),out('o','bf16',[64,64],'x.T')],dict(M=64,N=64),(1,))
case('transpose_f32',K.transpose,[buf('x','f32',[32,64]),out('o','f32',[64,32],'x.T')],dict(M=32,N=64),(1,))
case('philox',K.philox,[out('o','i32',[256],'philox(7,256)'),i32('seed',7)],dict(B=256),(1,))
# ---- Gluon: wgmma with every swizzle / major / type / register A
def wg(id,dt,acc,M,N,Kk,SA,SB,TA=False,TB=True,RS=False,warps=4,init='int4',NI=None):
    ki={'bf16':16,'f16':16,'f32':8,'i8':32,'e4m3':32,'e5m2':32}[dt]; od={'f32':'f32','i32':'i32','f16':'f16'}[acc]
    case(id,G.wg,[buf('a',dt,[Kk,M] if TA else [M,Kk],init),buf('b',dt,[N,Kk] if TB else [Kk,N],init,seed=2),buf('c',od,[M,N],'int4',seed=3),out('o',od,[M,N],'c+%s@%s'%('a.T' if TA else 'a','b.T' if TB else 'b'))],
      dict(M=M,N=N,K=Kk,SA=SA,SB=SB,TA=TA,TB=TB,RS=RS,NI=NI or N,ODT=0,NW=warps,KI=ki),(1,),(90,),warps,True)
for sw in(128,64,32):
    for ta in(0,1):
        for tb in(1,0): wg('wgmma_bf16_sw%d_A%s_B%s'%(sw,'MK'[1-ta],'NK'[tb]),'bf16','f32',64,64,64,sw,sw,bool(ta),bool(tb))
wg('wgmma_bf16_sw128_64_mix','bf16','f32',64,64,128,128,64)
wg('wgmma_bf16_n128_k128_AM_BN','bf16','f32',128,128,128,128,128,True,False)
wg('wgmma_bf16_n256','bf16','f32',64,256,64,128,128)
wg('wgmma_bf16_n8','bf16','f32',64,8,64,128,128)
wg('wgmma_bf16_n32_sw64_BN','bf16','f32',64,32,64,128,64,False,False)
wg('wgmma_bf16_n128_sw32_BN','bf16','f32',64,128,64,128,32,False,False)
wg('wgmma_bf16_n128_sw32_AM','bf16','f32',128,64,64,32,128,True,True)
wg('wgmma_bf16_n128_sw64_AM','bf16','f32',128,64,64,64,128,True,True)
wg('wgmma_bf16_rs','bf16','f32',64,64,64,128,128,RS=True); wg('wgmma_f16_rs_BN','f16','f32',64,64,64,128,128,RS=True,TB=False)
wg('wgmma_f16_acc16','f16','f16',64,64,64,128,128,init='int2')
wg('wgmma_f16_acc16_n128','f16','f16',64,128,64,128,128,init='int2')
wg('wgmma_i8','i8','i32',64,64,128,128,128,init='i8'); wg('wgmma_i8_rs','i8','i32',64,64,128,128,128,RS=True,init='i8')
wg('wgmma_e4m3','e4m3','f32',64,64,128,128,128); wg('wgmma_e5m2_rs','e5m2','f32',64,64,128,128,128,RS=True); wg('wgmma_e4m3_sw64','e4m3','f32',64,64,64,64,64)
wg('wgmma_tf32','f32','f32',64,64,32,128,128); wg('wgmma_tf32_rs','f32','f32',64,64,32,128,128,RS=True); wg('wgmma_tf32_sw32','f32','f32',64,64,32,32,32)
wg('wgmma_bf16_m128_w8','bf16','f32',128,128,64,128,128,warps=8); wg('wgmma_bf16_ni64','bf16','f32',64,128,64,128,128,NI=64)
NL=lambda sw,b: gl.NVMMASharedLayout(sw,b,2)
for sw in(128,64,32,0):
    for dt,bits in(('bf16',16),('f32',32)):
        case('tma_copy_%s_sw%d'%(dt,sw),G.tma_copy,[hid(buf('x',dt,[100,104],'int4')),hid(out('o',dt,[100,104],'subwin(ramp(x,[48,40]),[48,40],[64,64])',init='zero')),td('din','x',[64,64],NL(sw,bits)),td('dout','o',[64,64],NL(sw,bits))],dict(X=48,Y=40,BX=64,BY=64),(1,),(90,),4,True)
case('tma_copy_mixed_sw',G.tma_copy,[hid(buf('x','bf16',[100,104],'int4')),hid(out('o','bf16',[100,104],'subwin(ramp(x,[-8,-16]),[-8,-16],[64,64])',init='zero')),td('din','x',[64,64],NL(128,16)),td('dout','o',[64,64],NL(32,16))],dict(X=-8,Y=-16,BX=64,BY=64),(1,),(90,),4,True)
case('ws_gemm_gluon',G.ws_gemm,[hid(buf('a','bf16',[128,320],'int4')),hid(buf('b','bf16',[128,320],'int4',seed=2)),hid(out('c','bf16',[128,128],'a@b.T',4e-3)),td('da','a',[64,64],NL(128,16)),td('db','b',[128,64],NL(128,16)),td('dc','c',[64,128],NL(128,16)),i32('KT',5)],dict(BM=64,BN=128,BK=64,NB=3),(2,1),(90,),4,True)
for dt,kw,ik,acc,init in(('bf16',2,16,gl.float32,'int4'),('f16',2,16,gl.float32,'int4'),('i8',4,32,gl.int32,'i8'),('f32',1,8,gl.float32,'int4')):
    case('cpasync_mma2_'+dt,G.cpasync_mma2,[buf('a',dt,[64,64],init),buf('b',dt,[64,64],init,seed=2),out('o','i32' if dt=='i8' else 'f32',[64,64],'a@b')],dict(M=64,N=64,K=64,KW=kw,IK=ik,ADT=acc),(1,),(80,90),4,True)

def strides(sh):
    r=[1]
    for d in sh[:0:-1]: r.insert(0,r[0]*d)
    return r
def build(c,t):
    sig={}; attrs={}; cons=dict(c['consts']); bufs={p['name']:p for p in c['params'] if p['kind'] in('in','out')}; names=c['fn'].arg_names; idx=0
    for p in c['params']:
        if p.get('param')is False: continue
        n=p['name']; i=names.index(n)
        if p['kind'] in('in','out'): sig[n]='*'+TT[p['dtype']]; attrs[(i,)]=[['tt.divisibility',16]]
        elif p['kind']=='i32':
            sig[n]='i32'
            if p['value']%16==0: attrs[(i,)]=[['tt.divisibility',16]]
            if p['value']==1 : sig[n]='constexpr'; cons[n]=1
        elif p['kind']=='f32': sig[n]='fp32'
        elif p['kind']=='none': sig[n]='constexpr'; cons[n]=None
        elif p['kind']=='tdesc':
            s='tensordesc<%s[%s]'%(TT[bufs[p['buf']]['dtype']],', '.join(map(str,p['block'])))
            sig[n]=s+(','+repr(p['_layout']) if p['_layout'] else '')+'>'
    for k in c['consts']: sig[k]='constexpr'
    sig={k:sig[k] for k in names}
    S=GluonASTSource if c['gluon'] else triton.compiler.ASTSource
    return triton.compile(S(fn=c['fn'],signature=sig,constexprs={(names.index(k),):v for k,v in cons.items()},attrs=attrs),target=GPUTarget('cuda',t,32),options=dict(num_warps=c['warps'],**c['opts'])),sig
# Not in the set: compiled only when asked for by their ids
EXTRA={'attn_causal_f16','cpasync_mma2_f32','matmul_bf16_128x128x64_w8','matmul_bf16_64x32x64','matmul_tma_host_bk128','matmul_tma_host_f16','matmul_tma_host_f32out','matmul_tma_host_tf32','sort_i32','tma_copy_f32_sw64','topk_f32','wgmma_bf16_n128_sw32_BN'}
def main():
    man=[]; bad=[]; args=sys.argv[1:]; into=os.path.join(HERE,'..')
    if args[:1]==['--into']: into=args[1]; args=args[2:]
    pat=args[0] if args else ''
    os.makedirs(os.path.join(into,'ptx'),exist_ok=True)
    for c in cases:
        if pat not in c['id'] or (not pat and c['id'] in EXTRA): continue
        for t in c['targets']:
            try: r,sig=build(c,t)
            except BaseException as e:
                if isinstance(e,KeyboardInterrupt): raise
                bad.append((c['id'],t,(str(e).strip().splitlines() or [repr(e)])[-1][:200])); print('FAIL',bad[-1]); continue
            f='%s.sm_%d.ptx'%(c['id'],t); ptx=r.asm['ptx']; open(os.path.join(into,'ptx',f),'w').write(ptx)
            m=r.metadata; ps=[]; meta=list(m.tensordesc_meta or []); bufs={p['name']:p for p in c['params'] if p['kind'] in('in','out')}
            for p in c['params']:
                p={k:v for k,v in p.items() if not k.startswith('_')}
                if p['kind']=='none' or (p['kind']=='i32' and sig.get(p['name'])=='constexpr'): continue
                if p['kind']=='tdesc':
                    md=meta.pop(0); b=bufs[p['buf']]; st=strides(b['shape'])
                    ps.append(dict(kind='tmap',name=p['name'],buf=p['buf'],swizzle=md['swizzle'],elem_size=md['elem_size'],box=list(md['block_size']),shape=b['shape'],strides=st))
                    ps+=[dict(kind='i32',value=d) for d in b['shape']]+[dict(kind='i64',value=d) for d in st]
                else: ps.append(p)
            import re
            ntid=re.search(r'\.(?:reqntid|maxntid)\s+(\d+)',ptx).group(1)
            # Triton appends global-scratch and profile-scratch pointers
            g=c['grid']; n=1
            for d in g: n*=d
            ps+=[dict(kind='scratch',bytes=m.global_scratch_size*n,align=m.global_scratch_align),dict(kind='scratch',bytes=m.profile_scratch_size*n,align=max(1,m.profile_scratch_align))]
            man.append(dict(id=c['id'],target='sm_%d'%t if t<90 else 'sm_90a',ptx='ptx/'+f,entry=m.name,grid=g,block=int(ntid),shared=m.shared,params=ps,compiler='triton '+triton.__version__+(' (gluon)' if c['gluon'] else '')))
            print('ok',c['id'],t,ntid,m.shared,len(ptx),flush=True)
    if not pat:
        one=lambda k: json.dumps({x:y for x,y in k.items() if x!='params'})[:-1]+', "params": [\n'+',\n'.join('  '+json.dumps(p) for p in k['params'])+']}'
        open(os.path.join(into,'manifest.json'),'w').write('{"kernels": [\n'+',\n'.join(map(one,man))+'\n]}\n')
    print(len(man),'ptx;',len(bad),'failed')
    sys.exit(bool(bad))
main()
